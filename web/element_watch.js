// What the element asks before any wasm is loaded: is it near the viewport, and which name was meant.
// Whether a stage is on the screen is watched by the stage itself.

// Loading begins this far before a widget can be seen.
const NEAR = "400px 0px";

const arrivals = new Map();
let watcher = null;

// Calls `arrived` once, when the element comes near the viewport. One observer serves all widgets of a page.
export function watchNear(element, arrived) {
  watcher ??= new IntersectionObserver(tell, { rootMargin: NEAR });
  const stop = () => {
    watcher.unobserve(element);
    arrivals.delete(element);
  };
  arrivals.set(element, () => {
    stop();
    arrived();
  });
  watcher.observe(element);
  return stop;
}

function tell(entries) {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) arrivals.get(target)?.();
  }
}

// The known name that a misspelled one is closest to, if it is close at all.
export function nearest(name, known) {
  const ranked = known.map((candidate) => [distance(name, candidate), candidate]).sort(([a], [b]) => a - b);
  const [edits, candidate] = ranked[0];
  return edits <= Math.max(1, Math.floor(name.length / 3)) ? candidate : null;
}

// Edits (Levenshtein) between two short texts.
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
