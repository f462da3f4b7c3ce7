/** MODEL_RUNS is the number of random programs for a backend in memory; 2,000 before a release. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 120);

/** The number for a test whose runs cost `cost` times as much. */
export function runsAtCost(cost: number): number {
  return Math.ceil(RUNS / cost);
}
