// Functions that several games' test data use.

/** The square that a thing is on, as "x,y". */
export const squareOf = (thing, margin = 0) =>
  `${Math.floor(thing.x) - margin},${Math.floor(thing.y) - margin}`;

/** The distance between two things in steps along the axes. */
export const distance = (one, other) => Math.abs(one.x - other.x) + Math.abs(one.y - other.y);

/** The number of events of a frame that match the pattern. */
export const countEvents = (frame, pattern) =>
  frame.events.filter((event) => pattern.test(event)).length;

export const countOf = (list, wanted) => list.filter(wanted).length;
