//! Which slot to take: the part of the machine that looks at all of them.

use super::{Command, Machine, Now, Reason};
use crate::slot::{Slot, View};

impl Machine {
    /// Takes a slot of our own session's that an answer never told of; else a free one whose fence has passed, longest ago
    /// first; else the one whose fence passes soonest, within a window.
    pub(super) fn choose(&mut self, now: Now, views: &[View]) -> Vec<Command> {
        if let Err(reason) = self.check(now, views) {
            return self.idle(now, reason);
        }
        if let Some(view) = views.iter().find(|view| view.claim.as_ref().is_some_and(|claim| claim.mine))
            && let Some(tenure) = self.tenure(view)
        {
            return self.extend(now, tenure);
        }
        let Some(view) = self.best(now, views) else {
            let claimed = views.iter().filter(|view| view.claim.is_some()).count() as u64;
            let ahead = (self.config.nodes.end - self.config.nodes.start).saturating_sub(claimed);
            return self.idle(now, Reason::NoneFree { claimed, ahead });
        };
        match self.tenure(&view) {
            Some(tenure) => self.acquire(now, tenure),
            None => self.idle(now, Reason::OtherLayout { node: view.node }),
        }
    }

    /// What forbids to take any slot.
    fn check(&self, now: Now, views: &[View]) -> Result<(), Reason> {
        let config = &self.config;
        if now.tick == 0 {
            return Err(Reason::ClockUntrusted);
        }
        for View { node, slot, claim, .. } in views {
            let Some(Slot { layout, clock_ms, .. }) = slot else { continue };
            if *layout != config.layout {
                return Err(Reason::OtherLayout { node: *node });
            }
            let ours_ms = config.layout.timestamp_ms(now.tick).cast_signed();
            let ahead_ms = ours_ms.saturating_sub(clock_ms.cast_signed());
            if claim.as_ref().is_some_and(|claim| !claim.mine) && ahead_ms.unsigned_abs() > config.clock_bound_ms {
                return Err(Reason::ClockOff { node: *node, ahead_ms });
            }
        }
        Ok(())
    }

    fn best(&mut self, now: Now, views: &[View]) -> Option<View> {
        let config = &self.config;
        let view_of = |node| views.iter().find(|view| view.node == node).cloned().unwrap_or_else(|| View::unused(node));
        let furthest = now.tick.saturating_add(config.window_ticks);
        let free = config.nodes.clone().map(view_of).filter(|view| view.claim.is_none() && view.fence() <= furthest);
        let free: Vec<View> = free.collect();
        let least = free.iter().map(View::fence).min()?;
        let alike: Vec<&View> = free.iter().filter(|view| view.fence() == least).collect();
        let choice = if alike.len() > 1 { self.draw() % alike.len() as u64 } else { 0 };
        alike.get(usize::try_from(choice).ok()?).map(|view| (*view).clone())
    }
}
