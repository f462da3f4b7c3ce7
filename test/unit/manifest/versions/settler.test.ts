import { describe, expect, it } from 'vitest';
import { type Settler, createSettler } from '../../../../src/manifest/versions/settle.ts';
import { testCall } from '../../../support/test-call.ts';

/** A settler, and tasks that run until the test ends them; `log` says which began and ended. */
function slowTasks({ concurrency = 2, maxQueue = 10 } = {}) {
  const settler = createSettler({ concurrency, maxQueue, newCall: () => testCall(), onError: () => undefined });
  const log: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<undefined>>();
  const add = (name: string, id: string): void => {
    const end = Promise.withResolvers<undefined>();
    ends.set(id, end);
    settler.later(name, async () => {
      log.push(`+${id}`);
      await end.promise;
      log.push(`-${id}`);
    });
  };
  return {
    settler,
    log,
    add,
    end: (id: string) => ends.get(id)?.resolve(undefined),
    fail: (id: string) => ends.get(id)?.reject(new Error(id)),
  };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function counts({ backlog }: Settler): string {
  const { queued, running, dropped, failed } = backlog();
  return `${String(queued)} ${String(running)} ${String(dropped)} ${String(failed)}`;
}

describe('the work behind answers', () => {
  it('of one name runs one at a time, others go past it, and the last that was asked for still comes', async () => {
    const { settler, log, add, end } = slowTasks();
    add('k', 'k1');
    add('k', 'k2');
    add('k', 'k3');
    add('other', 'o');
    await turn();
    expect(log).toEqual(['+k1', '+o']);
    end('o');
    await turn();
    expect([log.at(-1), counts(settler)]).toEqual(['-o', '1 1 0 0']);
    end('k1');
    await turn();
    end('k3');
    await settler.idle();
    expect(log).toEqual(['+k1', '+o', '-o', '-k1', '+k3', '-k3']);
    expect(counts(settler)).toBe('0 0 0 0');
  });

  it('goes on with a name whose task failed', async () => {
    const { settler, log, add, end, fail } = slowTasks();
    add('k', 'k1');
    add('k', 'k2');
    fail('k1');
    end('k2');
    await settler.idle();
    expect([log, counts(settler)]).toEqual([['+k1', '+k2', '-k2'], '0 0 0 1']);
  });

  it('is bounded: so many run, so many wait, the rest is dropped', async () => {
    const { settler, log, add, end } = slowTasks({ concurrency: 2, maxQueue: 2 });
    for (const id of ['a', 'b', 'c', 'd', 'e']) add(id, id);
    await turn();
    expect([log, counts(settler)]).toEqual([['+a', '+b'], '2 2 1 0']);
    for (const id of ['a', 'b', 'c', 'd']) end(id);
    await settler.idle();
    expect(log).toHaveLength(8);
  });

  it('takes what is asked for again while it waits, however many wait', async () => {
    const { settler, log, add, end } = slowTasks({ concurrency: 1, maxQueue: 2 });
    for (const id of ['a', 'b', 'c']) add(id, id);
    add('b', 'b2');
    add('d', 'd');
    expect(counts(settler)).toBe('2 1 1 0');
    for (const id of ['a', 'b2', 'c']) end(id);
    await settler.idle();
    expect(log).toEqual(['+a', '-a', '+b2', '-b2', '+c', '-c']);
  });
});
