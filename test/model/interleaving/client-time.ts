/** What `Date.now` says to the client that runs: each has a clock of its own. Set by the scheduler. */
export const clientTime = { now: 0 };
