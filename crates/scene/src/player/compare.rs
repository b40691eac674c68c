//! Other sides beside the first: the same commands on scenarios with one difference.
//!
//! Which difference is the caller's business, and counting what it changes is `comparison`'s.

use engine::event::Moment;
use engine::timeline::TimedCommand;
use engine::{InputError, Scenario, Timeline};

use super::{Player, Side};
use crate::pace::Pace;

impl Player {
    /// Puts `others`, two at most, beside the first side, in place of any other side, with the first side's commands
    /// at their times; nothing leaves the first side alone. The first side keeps its branches.
    ///
    /// # Errors
    /// The scenario's own error; nothing is changed then.
    pub fn compare_with(&mut self, others: Vec<Scenario>) -> Result<(), InputError> {
        self.align();
        let by_time = |timed: &TimedCommand| TimedCommand {
            moment: Moment { time: timed.moment.time, sequence: 0 },
            command: timed.command.clone(),
        };
        let commands: Vec<TimedCommand> = self.sides[0].timeline.commands().iter().map(by_time).collect();
        let timeline = |scenario| Timeline::with_commands(scenario, commands.clone(), Pace::default());
        let timelines = others.into_iter().take(2).map(timeline).collect::<Result<Vec<_>, InputError>>()?;
        self.sides.truncate(1);
        self.sides.extend(timelines.into_iter().map(|timeline| Side { timeline, display: 0 }));
        for side in &mut self.sides[1..] {
            side.timeline.seek(self.now);
        }
        self.horizon = self.sides.iter().map(Side::horizon).fold(self.horizon, Ord::max);
        self.settle(self.now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use engine::{Command, Scenario, Time};

    use super::Player;

    #[test]
    fn the_other_sides_repeat_the_commands_and_the_first_keeps_its_branches() {
        let mut player = Player::new(vec![(Scenario::empty(1), Vec::new())]).expect("an empty scenario is valid");
        let create = |topic: &str| Command::CreateTopic {
            topic: topic.into(),
            partitions: Some(2),
            replication_factor: None,
            assignment: None,
            configs: Default::default(),
        };
        for (millis, topic) in [(2_000, "later"), (1_000, "events")] {
            player.seek(Time::from_millis(millis));
            player.act(None, &create(topic)).expect("the command fits");
        }
        player.seek(Time::from_millis(1_500));
        player.compare_with(vec![Scenario { seed: 9, ..Scenario::empty(1) }]).expect("the scenario is valid");
        assert_eq!((player.sides(), player.branches(0).len(), player.now()), (2, 1, Time::from_millis(1_500)));
        let topics = [0, 1].map(|side| player.snapshot(side, 0).topics.len());
        assert_eq!(topics, [1, 1]);
        player.compare_with(Vec::new()).expect("one side is left");
        assert_eq!((player.sides(), player.branches(0).len()), (1, 1));
    }
}
