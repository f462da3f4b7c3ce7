import { join } from 'node:path';
import type { PeerPrograms } from './servers/peer-servers.ts';

/** A part of the whole programme: one run of a bench. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /** Of package.json. */
  readonly script: 'npm run bench' | 'npm run bench:transfers';
  readonly args: readonly string[];
  /** That it may take; no row is begun after them, and soon after it is ended. */
  readonly minutes: number;
}

interface Programme {
  /** Folder for profiles. */
  readonly out: string;
  readonly quick: boolean;
  readonly programs: PeerPrograms;
  readonly crtPython: string | undefined;
}

/** In the order in which they are worth having. */
export function partsOf({ out, quick, programs, crtPython }: Programme): readonly Part[] {
  const rounds = (count: number, seconds: number): string[] =>
    quick ? ['--rounds', '1', '--seconds', '0.2'] : ['--rounds', String(count), '--seconds', String(seconds)];
  const given = (names: readonly (keyof PeerPrograms)[]): string[] =>
    names.flatMap((name) => (programs[name] === undefined ? [] : [`--${name}`, programs[name]]));
  const crt = crtPython === undefined ? [] : ['--crt-python', crtPython];
  const files = quick ? ['--size', '64', '--files', '50'] : ['--size', '4096', '--files', '10000'];
  const bench = (name: string, title: string, minutes: number, args: readonly string[]): Part => ({
    name,
    title,
    script: 'npm run bench',
    minutes,
    args: ['--markdown', ...args],
  });
  return [
    bench('main', 'The table', 26, [
      '--goals',
      ...rounds(5, 1),
      ...given(['s3proxy', 'versitygw', 'rclone']),
      '--profile',
      join(out, 'profiles'),
    ]),
    bench('tls', 'TLS to the backend', 12, ['--goals', ...rounds(5, 0.6), '--backend-tls']),
    bench('gcs', "Google's wire", 12, ['--goals', ...rounds(5, 0.6), '--backend', 'gcs']),
    bench('memory', 'Memory', 4, ['--memory', ...(quick ? ['--seconds', '5'] : [])]),
    bench('fair', 'Small reads beside large transfers', 2, ['--fair', ...rounds(5, 1.5)]),
    bench('slow', 'Small requests beside slow readers', 2, ['--slow-readers', '--backend-tls', ...rounds(3, 2)]),
    {
      name: 'transfers',
      title: 'Transfers, 10 ms to the backend',
      script: 'npm run bench:transfers',
      minutes: 12,
      args: [
        '--markdown',
        '--rounds',
        '1',
        '--skip-again',
        '--within',
        '150',
        ...files,
        ...given(['s3proxy', 'versitygw']),
        ...crt,
      ],
    },
    bench('observed', 'What watching costs', 2, [
      ...['--observed', '--starts', quick ? '1' : '2', '--only', 'get-4k-32,put-4k-32', ...rounds(5, 1)],
    ]),
    bench('policies', 'What policies cost', 2, [
      ...['--policies', '--starts', quick ? '1' : '2', '--only', 'get-4k-32'],
      ...(quick ? ['--rounds', '2'] : []),
    ]),
  ];
}
