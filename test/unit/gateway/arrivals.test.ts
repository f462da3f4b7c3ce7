import { EventEmitter } from 'node:events';
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { Arrivals } from '../../../src/gateway/arrivals.ts';

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

  it('are begun 256 in a turn at most, in the order in which they came', () => {
    const urls = Array.from({ length: 800 }, (_, i) => String(i));
    turn(0, ...urls.slice(0, 600));
    expect(served).toEqual(urls.slice(0, 512));
    turn(0, ...urls.slice(600));
    expect(served).toEqual(urls.slice(0, 768));
    turn(0);
    expect(served).toEqual(urls);
    turn(0);
    expect(ends).toEqual([]);
  });

  it('of quiet turns do not count for later ones', () => {
    const urls = Array.from({ length: 800 }, (_, i) => String(i));
    for (const url of urls) turn(0, url);
    expect(served).toEqual(urls);
  });

  it('behind others that wait wait as well', () => {
    turn(0, ...Array.from({ length: 513 }, (_, i) => String(i)));
    request('later');
    expect(served).toHaveLength(512);
    turn(0);
    expect(served.slice(512)).toEqual(['512', 'later']);
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
});
