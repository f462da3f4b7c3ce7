import { EventEmitter } from 'node:events';
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { Arrivals, waitBefore } from '../../../src/gateway/arrivals.ts';

describe('requests beside connections that come', () => {
  let server: EventEmitter;
  let arrivals: Arrivals;
  let ends: (() => void)[];
  let time: number;
  let served: string[];
  let seen: string[];
  let handler: RequestListener;

  beforeEach(() => {
    [server, ends, time, served, seen] = [new EventEmitter(), [], 0, [], []];
    arrivals = new Arrivals({ afterTurn: (call) => ends.push(call), now: () => time });
    arrivals.watch(server);
    handler = arrivals.before(
      (request) => served.push(request.url ?? ''),
      (request) => seen.push(request.url ?? ''),
    );
  });

  function request(url: string): ServerResponse {
    const message = new IncomingMessage(new Socket());
    message.url = url;
    const response = new ServerResponse(message);
    handler(message, response);
    return response;
  }

  /** A turn of the loop that takes a millisecond. */
  function turn(connections: number, ...requests: string[]): void {
    for (let i = 0; i < connections; i += 1) server.emit('connection');
    for (const url of requests) request(url);
    time += 1;
    for (const end of ends.splice(0)) end();
  }

  it('are served at once while none comes', () => {
    request('first');
    expect(served).toEqual(['first']);
    turn(0);
    expect(ends).toEqual([]);
  });

  it('wait until a turn has brought none, and are served in the order in which they came', () => {
    turn(1);
    turn(1, 'first');
    turn(2, 'second', 'third');
    expect(served).toEqual([]);
    turn(0, 'fourth');
    expect(served).toEqual(['first', 'second', 'third', 'fourth']);
    turn(0);
    expect(ends).toEqual([]);
    request('fifth');
    expect(served.at(-1)).toBe('fifth');
  });

  it('of a connection that comes alone wait for the end of the turn that reads them', () => {
    turn(1);
    turn(0, 'only');
    expect(served).toEqual(['only']);
  });

  it('wait no longer than 50 ms, however many connections come', () => {
    let longest = 0;
    for (let i = 0, came = 0; i < 500; i += 1) {
      request(String(i));
      turn(1);
      longest = Math.max(longest, time - came);
      if (served.length === i + 1) came = time;
    }
    expect(longest).toBeLessThanOrEqual(50);
    expect(longest).toBeGreaterThan(40);
    expect(served).toEqual(Array.from({ length: served.length }, (_, i) => String(i)));
  });

  it('are looked at before they wait, and only then', () => {
    request('served at once');
    turn(1, 'waits');
    expect([seen, served]).toEqual([['waits'], ['served at once']]);
  });

  it('are forgotten when their connection has closed meanwhile', () => {
    turn(1);
    request('gone').destroy();
    request('there');
    turn(0);
    expect(served).toEqual(['there']);
  });

  it('begin 32 a turn, the others in the order in which they came', () => {
    const all = Array.from({ length: 100 }, (_, number) => String(number));
    // What its end begins is part of the turn behind it.
    turn(0, ...all.slice(0, 70));
    expect(served).toHaveLength(64);
    turn(0, ...all.slice(70));
    expect(served).toHaveLength(96);
    turn(0);
    expect(served).toEqual(all);
    turn(0);
    expect(ends).toEqual([]);
  });

  it('that waited for connections begin before connections are waited for again', () => {
    const many = Array.from({ length: 200 }, (_, number) => String(number));
    turn(1);
    turn(1, ...many);
    let turns = 0;
    for (; served.length < many.length && turns < 1000; turns += 1) turn(1);
    expect(served).toEqual(many);
    // 50 ms of connections at most, and 32 a turn behind them.
    expect(turns).toBeLessThanOrEqual(50 + Math.ceil(many.length / 32));
    turn(1, 'waits again');
    expect(served.at(-1)).toBe('199');
  });

  it('know how long they waited', () => {
    const waits: number[] = [];
    const real = new Arrivals({ afterTurn: (call) => ends.push(call) });
    real.watch(server);
    const seeWait = real.before(
      (message) => waits.push(waitBefore(message)),
      () => undefined,
    );
    const send = (): void => {
      const message = new IncomingMessage(new Socket());
      seeWait(message, new ServerResponse(message));
    };
    send();
    server.emit('connection');
    send();
    turn(0);
    turn(0);
    expect(waits).toEqual([0, expect.any(Number)]);
    expect(waits[1]).toBeGreaterThan(0);
  });
});
