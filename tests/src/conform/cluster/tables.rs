//! Tables of kafka-transactions.sh, and usage texts: without what two runs of Kafka do not share.
//!
//! Deliberately not here: the table of kafka-topics.sh, whose cells have names in every line (`cli.rs`).

/// Columns of which only is compared whether they hold a number.
const NUMBERS: [&str; 3] = ["Coordinator", "CoordinatorId", "TransactionDurationMs"];

/// Columns in which -1 says that there is none, and any other number is as good as another.
const EPOCHS: [&str; 2] = ["CoordinatorEpoch", "LatestCoordinatorEpoch"];

/// A table with a column of producer ids, its cells made comparable; any other text is left as it is.
pub(super) fn comparable(text: &str) -> String {
    let heading: Vec<&str> = text.lines().next().unwrap_or_default().split('\t').map(str::trim).collect();
    if !heading.contains(&"ProducerId") {
        return first_of_usage(text);
    }
    let cell = |(name, cell): (&&str, &str)| comparable_cell(name, cell);
    let line = |line: &str| heading.iter().zip(line.split('\t')).map(cell).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn comparable_cell(column: &str, cell: &str) -> String {
    let value = cell.trim();
    let is_number = value.parse::<i64>().is_ok();
    match column {
        _ if NUMBERS.contains(&column) && is_number => "a number".to_owned(),
        _ if EPOCHS.contains(&column) && is_number && value != "-1" => "an epoch".to_owned(),
        // Numbers that stand for others do not fill their columns alike.
        "ProducerId" => value.to_owned(),
        _ if NUMBERS.contains(&column) || EPOCHS.contains(&column) => value.to_owned(),
        "TopicPartitions" => {
            let mut partitions: Vec<&str> = value.split(',').collect();
            partitions.sort_unstable();
            partitions.join(",")
        }
        _ => cell.to_owned(),
    }
}

/// Of a usage text only the first line; the message behind it stays.
fn first_of_usage(text: &str) -> String {
    let mut is_usage = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        let continues = is_usage;
        is_usage = line.starts_with("usage: ") || (is_usage && line.starts_with(' '));
        !(continues && is_usage)
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::comparable;

    fn check(text: &str, expected: &str) {
        assert_eq!(comparable(text), expected);
    }

    #[test]
    fn numbers_of_the_recorded_cluster_are_not_compared() {
        check(
            "TransactionalId\tCoordinator\tProducerId\tTransactionState\t\nx              \t1          \tP1        \tOngoing         \t\n",
            "TransactionalId\tCoordinator\tProducerId\tTransactionState\t\nx              \ta number\tP1\tOngoing         \t\n",
        );
        check(
            "ProducerId\tLatestCoordinatorEpoch\t\n7\t-1                    \t\n7\t3\t\n",
            "ProducerId\tLatestCoordinatorEpoch\t\n7\t-1\t\n7\tan epoch\t\n",
        );
        check("ProducerId\tTopicPartitions\t\n7\tb-1,b-0\t\n", "ProducerId\tTopicPartitions\t\n7\tb-0,b-1\t\n");
        check("ProducerId\tTransactionDurationMs\t\n7\tNone\t\n", "ProducerId\tTransactionDurationMs\t\n7\tNone\t\n");
    }

    #[test]
    fn of_a_usage_text_the_first_line_is_compared() {
        check("usage: a.sh [-h]\n            [--b C]\na.sh: error: d\n", "usage: a.sh [-h]\na.sh: error: d\n");
        check("a\n b\n", "a\n b\n");
    }
}
