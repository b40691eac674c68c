//! Work that moves a timeline by itself, such as a command-line tool that waits for its answers.
//!
//! Single commands are `Player::act`; nothing here knows what the work is.

use engine::Timeline;

use super::{EXTENSION, Player};
use crate::pace::Pace;

impl Player {
    /// Lets `work` use every side in turn. Simulated time may pass; afterwards all sides stand at the latest of
    /// their times. The answers, by side.
    pub fn operate<R>(&mut self, mut work: impl FnMut(&mut Timeline<Pace>) -> R) -> Vec<R> {
        self.align();
        let answers = self.sides.iter_mut().map(|side| work(&mut side.timeline)).collect();
        let now = self.sides.iter().map(|side| side.timeline.now()).max().map_or(self.now, |now| now.max(self.now));
        for side in &mut self.sides {
            if side.timeline.now() < now {
                side.timeline.seek(now);
            }
        }
        self.horizon = self.horizon.max(now + EXTENSION);
        self.settle(now);
        answers
    }
}

#[cfg(test)]
mod tests {
    use engine::{Duration, Scenario, Time};

    use super::Player;

    #[test]
    fn all_sides_go_to_the_latest_time_that_work_has_led_to() {
        let sides = vec![(Scenario::empty(1), Vec::new()), (Scenario::empty(1), Vec::new())];
        let mut player = Player::new(sides).expect("an empty scenario is valid");
        let mut lengths = [Duration::from_millis(20), Duration::from_millis(50)].into_iter();
        let answers = player.operate(|timeline| {
            let until = timeline.now() + lengths.next().expect("there are two sides");
            timeline.advance_to(until);
            until
        });
        assert_eq!(answers, [Time::from_millis(20), Time::from_millis(50)]);
        assert_eq!(player.now(), Time::from_millis(50));
        assert_eq!([0, 1].map(|side| player.timeline(side).now()), [player.now(); 2]);
    }
}
