import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = 'src/manifest';
const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** Files in which a line says this, comments aside. */
function where(pattern: RegExp): string[] {
  return FILES.filter((file) =>
    pattern.test(readFileSync(join(ROOT, file), 'utf8').replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, '')),
  );
}

describe('the manifest', () => {
  it('asks one port what time it is, and waits through it', () => {
    expect(
      where(
        /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bset(?:Timeout|Interval|Immediate)\b|\bAbortSignal\.timeout\b/,
      ),
    ).toEqual(['records/time.ts']);
  });

  it('takes turns against others by one table of policies', () => {
    expect(where(/\bMAX_TURNS\b|\bTURNS = |for \(let turn\b/)).toEqual(['records/turns.ts']);
  });

  it('has one type for a key of a bucket, and others extend it', () => {
    expect(where(/\breadonly bucket: Bucket;\s*readonly key: string\b/)).toEqual(['records/key-ref.ts']);
  });
});
