//! How the playhead moves while playing: every side runs along its display axis, the slowest sets the pace.
//!
//! Nothing here jumps; see `player.rs` for seeking and stepping.

use engine::Time;
use engine::simulation::NextEntry;

use super::{Changed, Player, Side};
use crate::pace::{Display, PaceMode};

impl Player {
    /// Advances by `elapsed_us` of real time, taking at most `budget_entries` entries from the queues.
    pub fn tick(&mut self, elapsed_us: u64, budget_entries: u64) -> Changed {
        let mut changed = Changed { revision: self.revision, ..Changed::default() };
        if !self.is_playing {
            return changed;
        }
        let speed = u64::from(self.speed);
        let speed = self.hurry.as_mut().map_or(speed, |hurry| hurry.speed(speed, elapsed_us));
        let thousandths = elapsed_us.saturating_mul(speed).saturating_add(self.rest);
        let mut left = thousandths / 1_000;
        self.rest = thousandths % 1_000;
        let mut budget = budget_entries.max(1);
        let events_before = self.event_count();
        changed.moved = left > 0;
        while left > 0 && self.is_playing {
            if budget == 0 {
                changed.behind = true;
                break;
            }
            let Leg { target, needs, span } = self.leg();
            if span > left {
                self.part_of_leg(target, &needs, left, span);
                break;
            }
            left -= span;
            for (side, need) in self.sides.iter_mut().zip(&needs) {
                side.display += need;
            }
            self.now = target;
            if self.next_time().is_some_and(|next| next == target && next <= self.horizon) {
                budget = budget.saturating_sub(self.take_entries(target));
            } else {
                self.is_playing = false;
                changed.finished = true;
            }
        }
        self.align();
        if self.event_count() != events_before {
            self.revision += 1;
        }
        changed.revision = self.revision;
        changed
    }

    /// The way to the next entry of any side, or to the end of the time bar.
    fn leg(&self) -> Leg {
        let target = self.next_time().unwrap_or(self.now).min(self.horizon).max(self.now);
        let needs: Vec<Display> = self.sides.iter().map(|side| side.need(self.mode, target)).collect();
        let span = match self.mode {
            PaceMode::Elastic => needs.iter().copied().max().unwrap_or(0),
            PaceMode::Even => target.since(self.now).0,
        };
        Leg { target, needs, span }
    }

    fn part_of_leg(&mut self, target: Time, needs: &[Display], part: u64, span: u64) {
        if self.mode == PaceMode::Elastic {
            return self.part_by_slowest(target, needs, part);
        }
        let share = |whole: u64| (u128::from(whole) * u128::from(part) / u128::from(span)) as u64;
        for (side, need) in self.sides.iter_mut().zip(needs) {
            side.display += share(*need);
        }
        self.now = Time(self.now.0 + share(target.since(self.now).0));
    }

    /// The side that needs the longest goes along its own axis; its time is that of the others, too.
    fn part_by_slowest(&mut self, target: Time, needs: &[Display], part: u64) {
        let slowest = (0..needs.len()).max_by_key(|index| needs[*index]).unwrap_or_default();
        let Some(side) = self.sides.get_mut(slowest) else { return };
        side.display += part;
        let next = side.peek();
        let time = side.pace().time_at(PaceMode::Elastic, side.display, next.as_ref());
        self.now = time.clamp(self.now, target);
        for (index, side) in self.sides.iter_mut().enumerate().filter(|(index, _)| *index != slowest) {
            let next = side.peek();
            let display = side.pace().display_at(PaceMode::Elastic, self.now, next.as_ref());
            side.display = display.clamp(side.display, side.display + needs[index]);
        }
    }

    /// One entry from every side that has one at this time.
    fn take_entries(&mut self, time: Time) -> u64 {
        let mut taken = 0;
        for side in &mut self.sides {
            if side.peek().is_some_and(|next| next.time == time) {
                side.timeline.step_entry();
                side.display = side.display.max(side.pace().last(PaceMode::Elastic));
                taken += 1;
            }
        }
        taken
    }

    /// Sets every timeline's own clock to the player's, where that takes no entry from its queue.
    pub(super) fn align(&mut self) {
        for side in &mut self.sides {
            let is_free = side.peek().is_none_or(|next| next.time > self.now);
            if side.timeline.now() < self.now && is_free {
                side.timeline.advance_to(self.now);
            }
        }
    }

    /// Puts every side's display where its simulated time stands.
    pub(super) fn place_displays(&mut self) {
        for side in &mut self.sides {
            let next = side.peek();
            side.display = side.pace().display_at(PaceMode::Elastic, self.now, next.as_ref());
        }
    }

    /// After something was added to the trace at this moment: no display may lie before it.
    pub(super) fn keep_displays(&mut self) {
        for side in &mut self.sides {
            let next = side.peek();
            let floor = side.pace().last(PaceMode::Elastic);
            let ceiling = next.map_or(Display::MAX, |next: NextEntry| side.pace().preview(PaceMode::Elastic, &next));
            side.display = side.display.clamp(floor, ceiling.max(floor));
        }
    }

    fn event_count(&self) -> u64 {
        self.sides.iter().map(|side| side.pace().event_count()).sum()
    }
}

struct Leg {
    target: Time,
    /// How far each side's display has to go.
    needs: Vec<Display>,
    /// How much display time the leg takes.
    span: u64,
}

impl Side {
    fn need(&self, mode: PaceMode, target: Time) -> Display {
        if mode == PaceMode::Even && self.peek().is_none_or(|next| next.time > target) {
            return 0;
        }
        let next = self.peek();
        let goal = match &next {
            Some(next) if next.time == target => self.pace().preview(PaceMode::Elastic, next),
            _ => self.pace().display_at(PaceMode::Elastic, target, next.as_ref()),
        };
        goal.saturating_sub(self.display)
    }
}
