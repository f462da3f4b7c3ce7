import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../../../src/admin/journal/event-queue.ts';

describe('the queue of one reader', () => {
  it('hands over in order, once', () => {
    const queue = new EventQueue();
    queue.push(Buffer.from('a'));
    queue.push(Buffer.from('b'));
    expect(queue.take()).toEqual({ lost: 0, events: [Buffer.from('a'), Buffer.from('b')] });
    expect(queue.take()).toBeUndefined();
  });

  it('drops the oldest beyond a number, and says how many', () => {
    const queue = new EventQueue({ events: 2 });
    for (const text of ['a', 'b', 'c', 'd']) queue.push(Buffer.from(text));
    expect(queue.take()).toEqual({ lost: 2, events: [Buffer.from('c'), Buffer.from('d')] });
    queue.push(Buffer.from('e'));
    expect(queue.take()).toEqual({ lost: 0, events: [Buffer.from('e')] });
  });

  it('drops the oldest beyond so many bytes, all if need be', () => {
    const queue = new EventQueue({ bytes: 50 });
    queue.push(Buffer.from('x'.repeat(30)));
    queue.push(Buffer.from('y'.repeat(30)));
    expect(queue.take()).toEqual({ lost: 1, events: [Buffer.from('y'.repeat(30))] });
    queue.push(Buffer.from('z'.repeat(51)));
    expect(queue.take()).toEqual({ lost: 1, events: [] });
  });

  it('counts what a reader misses: nothing of what comes again, several of what stands for several', () => {
    const queue = new EventQueue({ events: 1 });
    for (const tells of [0, 5, 0]) queue.push(Buffer.from('a'), tells);
    queue.push(Buffer.from('b'));
    expect(queue.take()).toEqual({ lost: 5, events: [Buffer.from('b')] });
  });

  it('wakes its reader once', () => {
    const queue = new EventQueue();
    let woken = 0;
    queue.onPush(() => (woken += 1));
    queue.push(Buffer.from('a'));
    queue.push(Buffer.from('b'));
    expect(woken).toBe(1);
  });
});
