import { randomBytes } from 'node:crypto';
import type { Answer, Json } from '../reference/answer.ts';
import type { Call } from '../reference/calls.ts';
import { ReferenceBucket } from '../reference/reference-bucket.ts';
import type { Command, Program } from './commands.ts';
import { factsOf } from './facts.ts';
import { brief, Names } from './names.ts';
import { nextPage } from './next-page.ts';
import { resolve } from './resolve.ts';
import type { Server } from './server.ts';

/** Pages of one listing that are followed; a bucket of a program has fewer. */
const MAX_PAGES = 100;

/**
 * Sends a program to a server and a reference, each with a bucket of its own.
 * @throws Difference at the first answer that differs
 */
export async function runProgram(program: Program, server: Server): Promise<void> {
  const run = new Run(server, program);
  await run.begin();
  for (const command of program.commands) await run.command(command);
  await run.end();
}

/** Two answers to the same call that differ, told as the calls that led there. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

class Run {
  readonly #server: Server;
  readonly #program: Program;
  readonly #bucket = `model-${randomBytes(8).toString('hex')}`;
  readonly #reference: ReferenceBucket;
  readonly #names: Names;
  readonly #log: string[] = [];

  constructor(server: Server, program: Program) {
    this.#server = server;
    this.#program = program;
    this.#reference = new ReferenceBucket(program);
    this.#names = new Names(server.unknownVersion);
  }

  async begin(): Promise<void> {
    const { status, body } = await this.#server.createBucket(this.#bucket, this.#program.objectLock);
    if (status !== 200) throw new Error(`CreateBucket: ${status} ${body}`);
  }

  async command({ call, walk }: Command): Promise<void> {
    let next: Call | undefined = resolve(call, {
      keys: this.#program.keys,
      reference: this.#reference,
      isTold: (id) => this.#names.knows(id),
    });
    for (let page = 0; next !== undefined; page++) {
      if (page === MAX_PAGES) throw new Difference(this.#story('the listing does not end'));
      const { status, body } = await this.#compare(next);
      next = walk === true && status === 200 ? nextPage(next, body) : undefined;
    }
  }

  /** Whatever the program has left behind, it must all be there. */
  async end(): Promise<void> {
    await this.#compare({ op: 'ListObjectVersions' });
    await this.#compare({ op: 'ListObjects' });
    await this.#compare({ op: 'ListMultipartUploads' });
    for (const key of this.#program.keys) {
      await this.#compare({ op: 'GetObject', key });
      const versions = this.#reference.issuedVersions(key).filter((id) => this.#names.knows(id));
      for (const versionId of versions) await this.#compare({ op: 'HeadObject', key, versionId });
    }
  }

  async #compare(call: Call): Promise<Answer> {
    const raw = await this.#server.send(this.#bucket, this.#names.toServer(call));
    const expected = this.#reference.answer(call);
    const actual = factsOf(call, raw);
    const differences = this.#names.differences(asJson(expected), asJson(actual));
    this.#log.push(`${brief(call)}\n    -> ${summary(expected)}`);
    if (differences.length > 0) {
      const both = [
        `expected ${brief(expected)}`,
        `actual   ${brief(actual)}`,
        ...differences.map((line) => `differs  ${line}`),
      ];
      if (raw.status >= 500) both.push(`document ${raw.body}`);
      throw new Difference(this.#story(both.map((line) => `    ${line}`).join('\n')));
    }
    return expected;
  }

  #story(end: string): string {
    return `${this.#server.name}${this.#program.objectLock ? ', a bucket with object lock' : ''}\n${this.#log.map((line, index) => `${index + 1}. ${line}`).join('\n')}\n${end}`;
  }
}

function summary({ status, code, headers }: Answer): string {
  const versionId = headers['x-amz-version-id'];
  return [status, code, versionId, headers['x-amz-delete-marker'] === 'true' ? 'delete marker' : undefined]
    .filter((part) => part !== undefined)
    .join(' ');
}

function asJson({ status, code, headers, body }: Answer): Json {
  return { status, code, headers, body };
}
