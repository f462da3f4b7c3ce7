import { describe, expect, it } from 'vitest';
import type { RequestSummary } from '../../../../src/admin/inspector/contract.ts';
import { LiveList } from '../../../../src/admin/page/web/live-list.ts';

function request(id: string, arrived: number, outcome: RequestSummary['outcome'] = 'ok'): RequestSummary {
  return {
    id,
    arrived,
    outcome,
    href: `/api/requests/${id}`,
    traceId: '0'.repeat(32),
    replica: 'r',
    method: 'GET',
    target: '/',
    durationMs: 1,
    bytesIn: 0,
    bytesOut: 0,
    backendCalls: 0,
    slow: false,
  };
}

const ids = (list: LiveList): string[] => list.requests.map(({ id }) => id);

describe('the live list', () => {
  it('has the newest first, whichever replica they come from, and each once', () => {
    const list = new LiveList();
    for (const one of [request('b', 2), request('c', 3), request('a', 1), request('c', 3)]) list.add(one);
    expect(ids(list)).toEqual(['c', 'b', 'a']);
  });

  it('lets the end of a request take the place of its beginning, never the other way round', () => {
    const list = new LiveList();
    list.add(request('a', 1, 'running'));
    list.add(request('a', 1, 'clientError'));
    list.add(request('a', 1, 'running'));
    expect(list.requests.map(({ outcome }) => outcome)).toEqual(['clientError']);
  });

  it('puts aside what comes while paused, but finishes what is shown', () => {
    const list = new LiveList();
    list.add(request('a', 1, 'running'));
    list.pause();
    list.add(request('b', 2, 'running'));
    list.add(request('b', 2));
    list.add(request('a', 1));
    expect({ ids: ids(list), waiting: list.waiting, outcome: list.requests[0]?.outcome }).toEqual({
      ids: ['a'],
      waiting: 1,
      outcome: 'ok',
    });
    list.resume();
    expect({ ids: ids(list), waiting: list.waiting, lost: list.lost }).toEqual({
      ids: ['b', 'a'],
      waiting: 0,
      lost: 0,
    });
  });

  it('keeps the newest; what was put aside and did not fit is counted as lost', () => {
    const list = new LiveList(10);
    for (let at = 0; at < 12; at += 1) list.add(request(`s${at}`, at));
    expect(ids(list)).toHaveLength(10);
    expect(ids(list).at(-1)).toBe('s2');
    list.pause();
    for (let at = 20; at < 32; at += 1) list.add(request(`w${at}`, at));
    expect({ waiting: list.waiting, lost: list.lost }).toEqual({ waiting: 10, lost: 2 });
  });

  it('counts what the server could not send', () => {
    const list = new LiveList();
    list.addLost({ replica: 'r', count: 3 });
    list.addLost({ replica: 's', count: 4 });
    list.addLeftOut({ replica: 'r', count: 5 });
    expect([list.lost, list.leftOut]).toEqual([7, 5]);
    list.clear();
    expect([list.lost, list.leftOut]).toEqual([0, 0]);
  });

  it('forgets what was running when the stream begins anew', () => {
    const list = new LiveList();
    list.add(request('a', 1, 'running'));
    list.add(request('b', 2));
    list.forgetRunning();
    expect(ids(list)).toEqual(['b']);
  });
});
