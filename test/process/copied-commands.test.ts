import '../support/property-seed.ts';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestDetail } from '../../src/admin/inspector/contract.ts';
import { asAwsCli } from '../../src/admin/page/web/copy/as-aws-cli.ts';
import { asCurl } from '../../src/admin/page/web/copy/as-curl.ts';

/** What a stranger would write to have whoever copies the command run another one. */
const PAYLOADS = [
  ';touch pwned;#',
  '|touch pwned',
  '&touch pwned&',
  '&&touch pwned',
  '||touch pwned',
  '$(touch pwned)',
  '`touch pwned`',
  '>pwned',
  '<(touch pwned)',
  '\ntouch pwned\n',
  "'",
  "''",
  "';touch pwned;'",
  '"',
  '";touch pwned;"',
  '\\',
  "\\'",
  "\\';touch pwned;#",
  '\\\ntouch pwned\n',
  "$'\\x27'",
  '$HOME',
  '${IFS}',
  '$((1))',
  '$[1]',
  '!!',
  '!touch',
  '!$',
  '^a^b^',
  '~',
  '~root',
  '=ls',
  '*',
  '?',
  '[a-z]',
  '{a,b}',
  '{1..3}',
  '#x',
  '-',
  '--',
  '-o',
  '--output=pwned',
  '--endpoint-url',
  '@/etc/passwd',
  ' ',
  '  a  ',
  '\t',
  '\x1b[201~touch pwned\r',
  '\x03touch pwned\r',
  '\x7f\x7f\x08',
  '\x16',
  '\x9b31m',
  '\u202etouch',
  '\u200b',
  '\u2028touch pwned\u2028',
  '\ufeff',
  '\ud800',
  'é',
  '日本',
  '😀',
  '%0atouch%20pwned',
  '%',
  'a=b',
  '[]',
  '()',
  '(touch pwned)',
  '\x01',
  '\r\n',
  '<EOF',
  '%(touch)',
  ':h',
  "𝕏'\\n",
];
const METACHARACTERS = Array.from('\'"\\`$()[]{}<>|&;#!*?~=@%^:,.-+/ \t\n\r\x00\x01\x1b\x7f\x9b\u202e\u2028éa1');
const payload = fc
  .array(fc.constantFrom(...METACHARACTERS, 'touch pwned', '$(touch pwned)', "$'"), { minLength: 1, maxLength: 10 })
  .map((parts) => parts.join(''));

/** Of whoever pastes a command whose request named a host that is nobody's. */
const ENDPOINT = 'https://mine.test';

interface Command {
  readonly text: string;
  /** Program first. */
  readonly argv: readonly string[];
}

/** Bytes of what a client sent, as arguments come: halves of pairs cannot be written. */
const wellFormed = (text: string): string => text.toWellFormed();
const tokenOf = (text: string): string => text.replaceAll(/[^!#$%&'*+.^_`|~0-9A-Za-z-]/g, '').toLowerCase();

/** The text in every field of a request at once. */
function detailOf(text: string, ownHost = true): RequestDetail {
  const target = `/b/${text.replaceAll('?', '')}?prefix=${encodeURIComponent(wellFormed(text))}&${text}=1`;
  return {
    summary: {
      id: 'R',
      traceId: '0'.repeat(32),
      replica: 'r',
      href: '/',
      arrived: 0,
      outcome: 'ok',
      method: text,
      target,
      durationMs: 1,
      bytesIn: 0,
      bytesOut: 0,
      backendCalls: 0,
      slow: false,
    },
    classification: { why: '', operation: 'PutObject', bucket: text, key: text },
    authentication: { verdict: 'accepted' },
    authorisation: [],
    backend: { calls: [], total: 0, retries: 0 },
    head: {},
    body: { sentBytes: 3, checksums: [] },
    times: {},
    request: {
      method: text,
      target,
      scheme: 'https',
      headersOmitted: 0,
      ...(ownHost && { ownHost }),
      headers: [
        ['Host', text],
        [
          'Authorization',
          'AWS4-HMAC-SHA256 Credential=AKID/20261121/eu-north-1/s3/aws4_request, SignedHeaders=host, Signature=x',
        ],
        ['x-odd', text],
        [`x-${text}`, 'v'],
        [`x-amz-meta-${tokenOf(text)}`, text],
        [`x-amz-checksum-crc32${text}`, 'v'],
        ['Cache-Control', text],
        ['x-amz-tagging', text],
        ['x-amz-acl', text],
      ],
    },
  };
}

/** What curl must be given: said again, without a shell in mind. */
function curlArguments(text: string, endpoint: string): string[] | undefined {
  if (text.includes('\0')) return undefined;
  const pairs = `prefix=${encodeURIComponent(wellFormed(text))}&${text}=1`
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort();
  const named = new Map([
    ['x-odd', text],
    [`x-${text}`.toLowerCase(), 'v'],
    [`x-amz-meta-${tokenOf(text)}`, text],
    [`x-amz-checksum-crc32${text}`.toLowerCase(), 'v'],
    ['cache-control', text],
    ['x-amz-tagging', text],
    ['x-amz-acl', text],
  ]);
  const headers = [...named]
    .filter(([name, value]) => tokenOf(name) === name && !/[\r\n]/.test(value))
    .flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  return [
    'curl',
    '--path-as-is',
    '--globoff',
    '--request',
    text,
    '--aws-sigv4',
    'aws:amz:eu-north-1:s3',
    '--user',
    'MYKEY:MYSECRET',
    '--header',
    'x-amz-content-sha256: UNSIGNED-PAYLOAD',
    ...headers,
    '--data-binary',
    '@BODY_FILE',
    '--url',
    `${endpoint}/b/${text.replaceAll('?', '')}?${pairs.join('&')}`,
  ].map(wellFormed);
}

function awsArguments(text: string, endpoint: string): string[] | undefined {
  if (text.includes('\0')) return undefined;
  const valued = (option: string): string[] => (text.startsWith('-') ? [`${option}=${text}`] : [option, text]);
  return [
    'aws',
    's3api',
    'put-object',
    '--endpoint-url',
    endpoint,
    '--region',
    'eu-north-1',
    ...valued('--bucket'),
    ...valued('--key'),
    ...valued('--prefix'),
    ...valued('--cache-control'),
    ...valued('--tagging'),
    ...valued('--acl'),
    '--metadata',
    JSON.stringify({ [tokenOf(text)]: text }),
    '--body',
    'BODY_FILE',
  ].map(wellFormed);
}

/** For a host that is the gateway's own, and for one that is not. */
function commandsOf(text: string): Command[] {
  const [own, foreign] = [detailOf(text), detailOf(text, false)];
  return (
    [
      [asCurl(own), curlArguments(text, `https://${text}`)],
      [asAwsCli(own), awsArguments(text, `https://${text}`)],
      [asCurl(foreign), curlArguments(text, ENDPOINT)],
      [asAwsCli(foreign), awsArguments(text, ENDPOINT)],
    ] as const
  ).flatMap(([command, argv]) => {
    expect(command === undefined, `a command for ${JSON.stringify(text)}`).toBe(argv === undefined);
    return command === undefined || argv === undefined ? [] : [{ text: command, argv }];
  });
}

const STUB = '#!/bin/sh\nprintf \'%s\\0\' "$(($# + 1))" "${0##*/}" "$@" >> "$ARGV_LOG"\n';
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'copied-'));
  mkdirSync(join(root, 'bin'));
  for (const name of ['aws', 'curl']) {
    writeFileSync(join(root, 'bin', name), STUB);
    chmodSync(join(root, 'bin', name), 0o755);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

/** Runs the commands as if they had been pasted; what the programs were given, one list each. */
function paste(
  shell: readonly string[],
  commands: readonly Command[],
): { readonly given: string[][]; readonly files: string[] } {
  const place = mkdtempSync(join(root, 'place-'));
  const log = join(root, 'argv.log');
  rmSync(log, { force: true });
  const [program = '', ...args] = shell;
  const env = {
    PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
    HOME: place,
    HISTFILE: '/dev/null',
    ARGV_LOG: log,
    AWS_ACCESS_KEY_ID: 'MYKEY',
    AWS_SECRET_ACCESS_KEY: 'MYSECRET',
    AWS_ENDPOINT_URL: ENDPOINT,
    PS1: '',
    PS2: '',
    LC_ALL: 'C.UTF-8',
  };
  const run = spawnSync(program, args, {
    cwd: place,
    env,
    input: commands.map(({ text }) => `${text}\n`).join(''),
    timeout: 60_000,
  });
  expect(run.error).toBeUndefined();
  const words = existsSync(log) ? readFileSync(log, 'utf8').split('\0').slice(0, -1) : [];
  const given: string[][] = [];
  for (let at = 0; at < words.length; at += Number(words[at]) + 1) {
    given.push(words.slice(at + 1, at + 1 + Number(words[at])));
  }
  return { given, files: readdirSync(place) };
}

/** As a script, and as at a prompt, where history is expanded. */
const SHELLS = [
  ['bash', '--norc', '--noprofile'],
  ['bash', '--norc', '--noprofile', '-i'],
  ['zsh', '-f'],
  ['zsh', '-f', '-i'],
] as const;
const isThere = (program: string): boolean => spawnSync(program, ['-c', ':']).status === 0;

describe('a copied command does what it shows, whatever the request was', () => {
  for (const shell of SHELLS) {
    const name = shell.join(' ');
    if (!isThere(shell[0])) {
      console.warn(`SKIPPED: ${shell[0]} is not installed, so that what it makes of copied commands was not tried`);
      test.skip(`in ${name}`, () => undefined);
      continue;
    }
    test(`in ${name}`, () => {
      const texts = [...PAYLOADS, ...fc.sample(payload, 60)];
      const commands = texts.flatMap(commandsOf);
      expect(commands.length).toBeGreaterThan(PAYLOADS.length);
      const { given, files } = paste(shell, commands);
      expect(files, 'files that a command made').toEqual([]);
      expect(given).toEqual(commands.map(({ argv }) => argv));
    }, 120_000);
  }

  test("in a shell without $'...' nothing runs either", () => {
    expect(paste(['sh'], PAYLOADS.flatMap(commandsOf)).files).toEqual([]);
  });

  test('a terminal finds nothing to obey in it', () => {
    for (const text of PAYLOADS) {
      for (const command of commandsOf(text)) {
        // oxlint-disable-next-line no-control-regex -- a terminal obeys them
        expect(command.text.replaceAll(' \\\n  ', ' ')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200b\u202e\u2028\ufeff]/);
      }
    }
  });
});

test('what the CLI would read from a file or fetch is never given to it', () => {
  const request = detailOf('k');
  for (const text of ['file:///etc/passwd', 'fileb://x', 'HTTP://169.254.169.254/', 'https://x']) {
    expect(
      asAwsCli({ ...request, classification: { why: '', operation: 'GetObject', bucket: 'b', key: text } }),
    ).toBeUndefined();
    const headers: RequestDetail['request']['headers'] = [
      ['Host', 'h'],
      ['x-amz-tagging', text],
      ['cache-control', text],
    ];
    const command = asAwsCli({
      ...request,
      classification: { why: '', operation: 'PutObject', bucket: 'b', key: 'k' },
      request: { ...request.request, target: `/b/k?prefix=${text}`, headers },
    });
    expect(command).not.toContain(text);
  }
});
