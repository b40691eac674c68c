//! A hundred random clusters, and a hundred random runs of transactions, under the rules of `tests::fuzz`. Longer
//! runs are `cargo xtask fuzz`.

#[test]
fn random_clusters_keep_the_rules() {
    (0..100).for_each(tests::fuzz::run);
}

#[test]
fn random_transactions_keep_the_rules() {
    (0..100).for_each(tests::fuzz::transactions::run);
}
