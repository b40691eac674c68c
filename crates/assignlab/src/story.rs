//! A plan and the changes that followed, with what every assignor made of each.
//!
//! Deliberately not here: undoing. A story is cheap to clone, so whoever wants to go back keeps the one before.

use std::rc::Rc;

use crate::{Assignor, Change, Outcome, Plan, Refused, limits};

/// One plan of a story, and how it came to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What happened; `None` at the start.
    pub change: Option<Change>,
    /// The group and its topics afterwards.
    pub plan: Plan,
    /// What each assignor of [`Assignor::ALL`] made of it.
    pub outcomes: Vec<Outcome>,
}

/// A plan and the changes that followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    steps: Vec<Rc<Step>>,
    at: usize,
}

impl Step {
    /// What an assignor made of it.
    pub fn outcome(&self, assignor: Assignor) -> &Outcome {
        &self.outcomes[assignor.place()]
    }

    fn after(before: Option<&Step>, change: Option<Change>, plan: Plan) -> Rc<Self> {
        let outcome = |assignor: Assignor| {
            let before = before.map(|step| (&step.plan, step.outcome(assignor)));
            Outcome::after(assignor, before, &plan)
        };
        let outcomes = Assignor::ALL.into_iter().map(outcome).collect();
        Rc::new(Self { change, plan, outcomes })
    }
}

impl Story {
    /// A story that begins with this plan.
    ///
    /// # Errors
    /// What is wrong with the plan.
    pub fn new(plan: Plan) -> Result<Self, Refused> {
        plan.check()?;
        Ok(Self { steps: vec![Step::after(None, None, plan)], at: 0 })
    }

    /// The start and one step for each change.
    pub fn steps(&self) -> &[Rc<Step>] {
        &self.steps
    }

    /// The step that is looked at: 0 is the start.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The step that is looked at.
    pub fn step(&self) -> &Rc<Step> {
        &self.steps[self.at]
    }

    /// The step before it.
    pub fn before(&self) -> Option<&Rc<Step>> {
        self.at.checked_sub(1).map(|at| &self.steps[at])
    }

    /// What happens next, if it is known already.
    pub fn next(&self) -> Option<&Change> {
        self.steps.get(self.at + 1).and_then(|step| step.change.as_ref())
    }

    /// Looks at another step; the last one if there are not so many.
    pub fn go(&mut self, at: usize) {
        self.at = at.min(self.steps.len() - 1);
    }

    /// Lets something happen after the step that is looked at. What happened after it is forgotten, unless it is just
    /// this.
    ///
    /// # Errors
    /// What Kafka or the lab refuses; the story stays as it is.
    pub fn act(&mut self, change: Change) -> Result<(), Refused> {
        if self.next() != Some(&change) {
            let plan = change.apply(&self.step().plan)?;
            if self.at >= limits::CHANGES_MAX {
                return Err(Refused::TooManyChanges);
            }
            let step = Step::after(Some(self.step()), Some(change), plan);
            self.steps.truncate(self.at + 1);
            self.steps.push(step);
        }
        self.at += 1;
        Ok(())
    }

    /// A story that begins with the present plan, as if everybody had just joined.
    pub fn anew(&self) -> Self {
        Self { steps: vec![Step::after(None, None, self.step().plan.clone())], at: 0 }
    }

    /// The same story with another rack or instance id of a member, or other racks of a topic, from the start on.
    ///
    /// # Errors
    /// What is wrong with the plan then; the story stays as it is.
    pub fn amend(&mut self, amend: impl Fn(&mut Plan)) -> Result<(), Refused> {
        let mut plan = self.steps[0].plan.clone();
        amend(&mut plan);
        let mut story = Self::new(plan)?;
        for change in self.steps.iter().filter_map(|step| step.change.clone()) {
            story.act(amended(change, &amend))?;
        }
        story.go(self.at);
        *self = story;
        Ok(())
    }

    /// Ids of all members that were ever in the group, in the order of their first joining: who is where in this list
    /// has a color.
    pub fn ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for member in self.steps.iter().flat_map(|step| &step.plan.members) {
            if !ids.contains(&member.id.as_str()) {
                ids.push(&member.id);
            }
        }
        ids
    }
}

/// A change that brings a member or a topic, with that one amended.
fn amended(change: Change, amend: impl Fn(&mut Plan)) -> Change {
    let mut plan = Plan::default();
    match change {
        Change::Join(member) => {
            plan.members.push(member);
            amend(&mut plan);
            Change::Join(plan.members.remove(0))
        }
        Change::Create(topic) => {
            plan.topics.push(topic);
            amend(&mut plan);
            Change::Create(plan.topics.remove(0))
        }
        other => other,
    }
}
