import { authenticate } from '../../src/auth/authenticate.ts';
import { SigningKeys } from '../../src/auth/signing-key.ts';
import { ACCESS_KEY, REGION, SECRET_KEY, signedHead } from '../support/sign-raw.ts';

/*
 * Whether the time that a refusal takes tells an access key that nobody has from one whose secret was wrong: 20,000 of each, in turn.
 * `npm run bench:unknown-key`. The largest distance between the two distributions (Kolmogorov-Smirnov) is compared with that of the
 * halves of one of them, which is what chance makes of it on this machine.
 */
const EACH = 20_000;
const WARM = 5000;

const signingKeys = new SigningKeys();

function requestOf(accessKey: string): Parameters<typeof authenticate>[0] {
  const lines = signedHead({ target: '/bucket/key', accessKey, secretKey: 'guessed' }).trimEnd().split('\r\n').slice(1);
  const rawHeaders = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  return { method: 'GET', rawTarget: '/bucket/key', rawHeaders, now: Date.now() };
}

function timeOf(request: Parameters<typeof authenticate>[0]): number {
  const began = process.hrtime.bigint();
  try {
    authenticate(request, { region: REGION, signingKeys, credentialFor: (id) => (id === ACCESS_KEY ? { secretAccessKey: SECRET_KEY } : undefined) });
  } catch {
    return Number(process.hrtime.bigint() - began) / 1000;
  }
  throw new Error('a guessed secret was right');
}

function distance(first: readonly number[], second: readonly number[]): number {
  const a = first.toSorted((x, y) => x - y);
  const b = second.toSorted((x, y) => x - y);
  let [i, j, most] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    if ((a[i] ?? 0) <= (b[j] ?? 0)) i += 1;
    else j += 1;
    most = Math.max(most, Math.abs(i / a.length - j / b.length));
  }
  return most;
}

function quantile(times: readonly number[], part: number): string {
  return `${(times.toSorted((a, b) => a - b)[Math.floor(part * times.length)] ?? 0).toFixed(1)} us`;
}

const unknown: number[] = [];
const wrong: number[] = [];
const [nobody, somebody] = [requestOf('NOBODYNOBODYNOBODY01'), requestOf(ACCESS_KEY)];
for (let turn = 0; turn < EACH + WARM; turn += 1) {
  // Now the one first, now the other: whatever comes second finds warmer caches.
  const pair = turn % 2 === 0 ? [timeOf(nobody), timeOf(somebody)] : [timeOf(somebody), timeOf(nobody)].toReversed();
  if (turn < WARM) continue;
  unknown.push(pair[0] ?? 0);
  wrong.push(pair[1] ?? 0);
}
for (const [name, times] of [['unknown key', unknown], ['wrong secret', wrong]] as const) {
  console.log(`${name}: ${[0.1, 0.5, 0.9, 0.99].map((part) => `p${part * 100} ${quantile(times, part)}`).join(', ')}`);
}
const even = (times: readonly number[], rest: number): number[] => times.filter((_, index) => index % 2 === rest);
console.log(`distance of the two: ${distance(unknown, wrong).toFixed(4)}; of halves of one: ${distance(even(unknown, 0), even(unknown, 1)).toFixed(4)}, ${distance(even(wrong, 0), even(wrong, 1)).toFixed(4)}`);
