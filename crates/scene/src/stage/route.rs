//! The way of a message over the stage: a cubic curve between the ports of two boxes.
//!
//! Whether a message is drawn, and how far it has come, is decided by `frame.rs`.

use engine::event::NodeId;

use super::{BrokerBox, Point, Stage};

/// An arc between brokers reaches so far into the gutter, as a part of it: near ones less, far ones more.
const REACH_NEAR: f32 = 0.5;
const REACH_FAR: f32 = 0.85;
/// A cubic curve whose two control points stand equally far out reaches three quarters of that.
const CURVE_REACH: f32 = 0.75;

impl Stage {
    /// The way of a message, as a cubic curve from its sender. None if an end is not on the stage.
    pub fn way(&self, from: &NodeId, to: &NodeId) -> Option<[Point; 4]> {
        match (from, to) {
            (NodeId::Producer { name }, NodeId::Broker { id }) => {
                Some(bend(self.producer(name)?.port, self.broker(*id)?.port, self.is_narrow))
            }
            (NodeId::Broker { id }, NodeId::Consumer { name }) => {
                Some(bend(self.broker(*id)?.reader_port, self.reader(name)?.port, self.readers_below))
            }
            (NodeId::Broker { id }, NodeId::Broker { id: other }) => {
                self.between(self.broker(*id)?, self.broker(*other)?)
            }
            (NodeId::Broker { id }, NodeId::Controller) => self.to_controller(*id),
            (NodeId::Broker { .. }, NodeId::Producer { .. })
            | (NodeId::Consumer { .. }, NodeId::Broker { .. })
            | (NodeId::Controller, NodeId::Broker { .. }) => self.way(to, from).map(reversed),
            (NodeId::Admin, _) => self.admin_way(),
            (_, NodeId::Admin) => self.admin_way().map(reversed),
            _ => None,
        }
    }

    pub(crate) fn between(&self, from: &BrokerBox, to: &BrokerBox) -> Option<[Point; 4]> {
        if from.id == to.id {
            return None;
        }
        Some(self.arc(from.replica_port, to.replica_port))
    }

    /// To the crown of the broker whose process is the controller; a broker's own controller is as far as its head.
    fn to_controller(&self, broker: u32) -> Option<[Point; 4]> {
        let controller = self.brokers.get(self.controller?)?;
        Some(self.arc(self.broker(broker)?.replica_port, controller.head_port))
    }

    /// Brokers above each other are connected through the gutter at their right, others straight.
    fn arc(&self, from: Point, to: Point) -> [Point; 4] {
        if self.gutter == 0.0 {
            return bend(from, to, (from.0 - to.0).abs() < 1.0);
        }
        let part = ((from.1 - to.1).abs() / self.height.max(1.0)).min(1.0);
        let reach = self.gutter * (REACH_NEAR + (REACH_FAR - REACH_NEAR) * part) / CURVE_REACH;
        let x = from.0.max(to.0) + reach;
        [from, (x, from.1), (x, to.1), to]
    }

    /// The Admin client has no card: its requests come in over the top edge of the controller's broker.
    fn admin_way(&self) -> Option<[Point; 4]> {
        let area = self.brokers.get(self.controller.unwrap_or(0))?.area;
        let x = area.x + area.width * 0.62;
        let (top, end) = (area.y.min(14.0), area.y + 18.0);
        Some([(x, top), (x, top), (x, end), (x, end)])
    }
}

fn reversed([a, b, c, d]: [Point; 4]) -> [Point; 4] {
    [d, c, b, a]
}

/// Whether a way leaves both its boxes to the right and comes back: there a pill cannot cover a box's inside.
pub(crate) fn is_arc(way: &[Point; 4]) -> bool {
    way[1].0 > way[0].0.max(way[3].0) && way[2].0 > way[0].0.max(way[3].0)
}

/// A curve that leaves and arrives across, or for boxes above each other upright.
pub(crate) fn bend(from: Point, to: Point, upright: bool) -> [Point; 4] {
    if upright {
        let middle = (from.1 + to.1) / 2.0;
        return [from, (from.0, middle), (to.0, middle), to];
    }
    let middle = (from.0 + to.0) / 2.0;
    [from, (middle, from.1), (middle, to.1), to]
}

/// The point of a cubic curve, from 0 at its start to 1 at its end.
pub(crate) fn point_on(curve: &[Point; 4], place: f32) -> Point {
    let rest = 1.0 - place;
    let parts = [rest * rest * rest, 3.0 * rest * rest * place, 3.0 * rest * place * place, place * place * place];
    let sum = |of: fn(&Point) -> f32| curve.iter().zip(parts).map(|(point, part)| of(point) * part).sum();
    (sum(|point| point.0), sum(|point| point.1))
}

/// The two pieces of a curve before and after a place.
pub(crate) fn split(curve: &[Point; 4], place: f32) -> ([Point; 4], [Point; 4]) {
    let mix = |a: Point, b: Point| (a.0 + (b.0 - a.0) * place, a.1 + (b.1 - a.1) * place);
    let [a, b, c, d] = *curve;
    let (ab, bc, cd) = (mix(a, b), mix(b, c), mix(c, d));
    let (abc, bcd) = (mix(ab, bc), mix(bc, cd));
    let middle = mix(abc, bcd);
    ([a, ab, abc, middle], [middle, bcd, cd, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_curve_are_the_curve() {
        let curve = [(0.0, 0.0), (10.0, 0.0), (30.0, 40.0), (80.0, 40.0)];
        let (before, after) = split(&curve, 0.25);
        for place in [0.0, 0.3, 1.0] {
            let (one, other) = (point_on(&before, place), point_on(&curve, place * 0.25));
            assert!((one.0 - other.0).abs() < 0.01 && (one.1 - other.1).abs() < 0.01, "{place}: {one:?} {other:?}");
            let (one, other) = (point_on(&after, place), point_on(&curve, 0.25 + place * 0.75));
            assert!((one.0 - other.0).abs() < 0.01 && (one.1 - other.1).abs() < 0.01, "{place}: {one:?} {other:?}");
        }
    }
}
