import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../../../src/observe/journal/event-queue.ts';

describe('the queue of one reader', () => {
  it('hands over in order, once', () => {
    const queue = new EventQueue();
    queue.push('a');
    queue.push('b');
    expect(queue.take()).toEqual({ lost: 0, texts: ['a', 'b'] });
    expect(queue.take()).toBeUndefined();
  });

  it('drops the oldest beyond a number, and says how many', () => {
    const queue = new EventQueue({ events: 2 });
    for (const text of ['a', 'b', 'c', 'd']) queue.push(text);
    expect(queue.take()).toEqual({ lost: 2, texts: ['c', 'd'] });
    queue.push('e');
    expect(queue.take()).toEqual({ lost: 0, texts: ['e'] });
  });

  it('drops the oldest beyond so many bytes, all if need be', () => {
    const queue = new EventQueue({ bytes: 100 });
    queue.push('x'.repeat(30));
    queue.push('y'.repeat(30));
    expect(queue.take()).toEqual({ lost: 1, texts: ['y'.repeat(30)] });
    queue.push('z'.repeat(51));
    expect(queue.take()).toEqual({ lost: 1, texts: [] });
  });

  it('wakes its reader once', () => {
    const queue = new EventQueue();
    let woken = 0;
    queue.onPush(() => (woken += 1));
    queue.push('a');
    queue.push('b');
    expect(woken).toBe(1);
  });
});
