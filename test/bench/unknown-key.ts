import { authenticate } from '../../src/auth/authenticate.ts';
import { signableRequest } from '../../src/auth/raw-request.ts';
import { SigningKeys } from '../../src/auth/signing-key.ts';
import {
  ACCESS_KEY,
  presignedHead,
  presignedV2Head,
  REGION,
  SECRET_KEY,
  signedHead,
} from '../support/clients/sign-raw.ts';

/*
 * Whether the time that a refusal takes tells an access key that nobody has from one whose secret was wrong: 20,000 of
 * each, in turn, by header and by presigned URLs of both versions. `npm run bench:unknown-key`. The largest distance
 * between the two distributions (Kolmogorov-Smirnov) is compared with that of the halves of one of them, which is what
 * chance makes of it on this machine, and with that of two keys that both nobody has.
 */
const EACH = 20_000;
const WARM = 5000;

const signingKeys = new SigningKeys();

const FORMS = { header: signedHead, 'presigned V4': presignedHead, 'presigned V2': presignedV2Head } as const;
type Raw = Parameters<typeof signableRequest>[0];

function requestOf(form: keyof typeof FORMS, accessKey: string): Raw {
  const [first = '', ...lines] = FORMS[form]({ target: '/bucket/key', accessKey, secretKey: 'guessed' })
    .trimEnd()
    .split('\r\n');
  const rawHeaders = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  return { method: 'GET', rawTarget: first.split(' ')[1] ?? '', rawHeaders, now: Date.now() };
}

const credential = { secretAccessKey: SECRET_KEY };
const options = {
  region: REGION,
  signingKeys,
  presignedV2: true,
  credentialFor: (id: string) => (id === ACCESS_KEY ? credential : undefined),
};

function timeOf(request: Raw): number {
  const began = process.hrtime.bigint();
  try {
    authenticate(signableRequest(request), options);
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

/** Odd and even turns have another order: a part of either is compared with a part of the same, in the same order. */
const half = (times: readonly number[], rest: number): number[] =>
  times.filter((_, index) => (index % 4) >> 1 === rest);

/** Microseconds that refusing each of two requests took. */
function timesOf(one: Raw, other: Raw): readonly [readonly number[], readonly number[]] {
  const ones: number[] = [];
  const others: number[] = [];
  for (let turn = 0; turn < EACH + WARM; turn += 1) {
    // Now the one first, now the other: whatever comes second finds warmer caches.
    const pair = turn % 2 === 0 ? [timeOf(one), timeOf(other)] : [timeOf(other), timeOf(one)].toReversed();
    if (turn < WARM) continue;
    ones.push(pair[0] ?? 0);
    others.push(pair[1] ?? 0);
  }
  return [ones, others];
}

function compare(form: keyof typeof FORMS): void {
  const nobody = requestOf(form, 'NOBODYNOBODYNOBODY01');
  const [unknown, wrong] = timesOf(nobody, requestOf(form, ACCESS_KEY));
  const control = distance(...timesOf(nobody, requestOf(form, 'NOBODYNOBODYNOBODY02'))).toFixed(4);
  for (const [name, times] of [
    ['unknown key', unknown],
    ['wrong secret', wrong],
  ] as const) {
    console.log(
      `${form}, ${name}: ${[0.1, 0.5, 0.9, 0.99].map((part) => `p${part * 100} ${quantile(times, part)}`).join(', ')}`,
    );
  }
  const chance = [unknown, wrong].map((times) => distance(half(times, 0), half(times, 1)).toFixed(4)).join(', ');
  console.log(
    `${form}, distance of the two: ${distance(unknown, wrong).toFixed(4)}; of two unknown keys: ${control}; of halves of one: ${chance}`,
  );
}

for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[]) compare(form);
