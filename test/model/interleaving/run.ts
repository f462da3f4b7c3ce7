import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Call } from '../../../src/observe/call.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../../support/test-call.ts';
import { untrue } from './answers.ts';
import { Client, type StartedUpload } from './client.ts';
import { unlawful } from './effects.ts';
import { type CallAtGate, gated, isChange } from './gate.ts';
import { type KeyState, describeState, lineOf } from './key-state.ts';
import { describeOperation } from './operation.ts';
import { clientTime } from './client-time.ts';
import { drawAs, restartRandom } from './seeded-random.ts';
import type { RunPlan } from './run-plan.ts';
import { type Pending, type Step, type Steps, stepsFrom } from './steps.ts';
import { KnownKeys } from './known-keys.ts';
import { shortOutcome, wholeOutcome } from './readable.ts';
import { helped, isBeneath, isConcerned, isTwin } from './repeated.ts';
import { type Task, newTask, note, touchedBy } from './task.ts';
import { Trace } from './trace.ts';
import { World } from './world.ts';

/** More turns of the event loop than an operation needs from one backend call to the next. */
const PATIENCE = 200;
const MAX_CALLS = 60;

/** Several clients over one store, one backend call at a time; every state and every answer is judged. */
export class Run {
  readonly trace = new Trace();
  readonly world: World;
  readonly tasks: Task[] = [];
  readonly #plan: RunPlan;
  readonly #clients: Client[] = [];
  readonly #crashed = new Set<number>();
  #pending: Pending[] = [];
  #ghosts: Pending[] = [];
  readonly #keys: KnownKeys;
  /** Versions with an acknowledged lock. */
  readonly #held = new Set<string>();
  readonly #uploads = new Map<string, StartedUpload>();
  /**
   * Keys at which a Complete took effect again where its object had been deleted: who is at work for it takes that
   * back.
   */
  readonly #twins = new Set<string>();
  #activity = 0;
  #hadFault = false;
  #background = 0;

  private constructor(world: World, plan: RunPlan) {
    this.world = world;
    this.#plan = plan;
    this.#keys = new KnownKeys(world);
  }

  static async begin(plan: RunPlan): Promise<Run> {
    restartRandom();
    const run = new Run(await World.of(plan.start), plan);
    await run.#begin();
    return run;
  }

  steps(): Steps {
    const hasClient = (client: number): boolean => this.#hasClient(client);
    return stepsFrom({ pending: this.#pending, ghosts: this.#ghosts }, hasClient);
  }

  get isOver(): boolean {
    return this.#pending.length === 0;
  }

  /** @throws Violation */
  async take(step: Step): Promise<void> {
    if (step.kind !== 'call' && step.kind !== 'late') this.#hadFault = true;
    switch (step.kind) {
      case 'call':
      case 'loseAnswer':
        return this.#carryOut(step.pending, step.kind === 'loseAnswer');
      case 'loseRequest':
      case 'delay':
        return this.#lose(step.pending, step.kind);
      case 'late':
        this.#ghosts = this.#ghosts.filter((ghost) => ghost !== step.ghost);
        await this.#execute(step.ghost, 'takes effect late');
        return;
      case 'crash':
        this.#crash(step.client);
        return;
      case 'hangUp':
        return this.#hangUp(step.client);
      default:
        return step satisfies never;
    }
  }

  /** Two runs with equal texts go on alike, whatever led to them. */
  async fingerprint(): Promise<string> {
    const tasks = this.tasks.map((task) => {
      if (this.#crashed.has(task.client)) return 'crashed';
      const course = task.status === 'done' ? [] : [...[...task.history].sort(), '|', ...[...task.seen.keys()].sort()];
      return [task.id, task.status, String(task.hangUp.signal.aborted), task.effects.length, ...course].join('\n');
    });
    const waiting = this.#pending.filter(({ task }) => task.status === 'done' || task.operation === undefined);
    const calls = [...waiting, ...this.#ghosts].map(({ task, method, text }) => `${task.id} ${method} ${text}`);
    const all = [await this.world.fingerprint(), ...tasks, '|', ...calls.sort()].join('\n\n');
    return createHash('sha1').update(all).digest('base64');
  }

  get states(): ReadonlyMap<string, KeyState> {
    return this.#keys.states;
  }

  async #begin(): Promise<void> {
    const { clients, names = 'A', background, versionedSince, spoil } = this.#plan;
    const common = spoil?.(this.world.store) ?? this.world.store;
    for (const [index, { skew, operations }] of clients.entries()) {
      const name = String.fromCharCode(names.charCodeAt(0) + index);
      const store = gated(common, (call, run) => this.#submit(index, call, run));
      const backgroundCall = background === true ? (work: string) => this.#backgroundCall(index, work) : undefined;
      const more = {
        ...(backgroundCall && { backgroundCall }),
        ...(versionedSince !== undefined && { versionedSince }),
      };
      const client = new Client({ name, skew, world: this.world, store, uploads: this.#uploads, ...more });
      this.#clients.push(client);
      for (const [turn, operation] of operations.entries()) {
        const task = newTask(`${name}${turn + 1}`, index, operation);
        const first = this.tasks.find(({ id }) => id === operation.repeats);
        this.tasks.push(first === undefined ? task : { ...task, effects: first.effects, seen: first.seen });
        this.#hand(index);
        await client.prepare(operation, task.id);
      }
    }
    await this.#look();
    for (const index of this.#clients.keys()) this.#startNext(index);
    await this.#settle();
  }

  /** Whoever runs from here on does so by this client's clock and draws its random numbers. */
  #hand(client: number): void {
    const { name, now } = this.#clients[client] ?? { name: 'S', now: this.world.now };
    this.world.writer = name;
    clientTime.now = now;
    drawAs(name);
  }

  #startNext(client: number): void {
    const own = this.tasks.filter((task) => task.client === client);
    if (this.#crashed.has(client) || own.some(({ status }) => status === 'running')) return;
    const next = own.find(({ status, operation }) => status === 'waiting' && operation !== undefined);
    if (next?.operation === undefined) return;
    const { operation } = next;
    const state = this.#stateOf(operation.key);
    const live = state.current?.marker === false ? state.current : undefined;
    next.asked = { name: operation.repeats ?? next.id, versionId: this.#keys.pick(operation), etag: live?.etag };
    next.status = 'running';
    this.#hand(client);
    const call = { ...testCall(next.hangUp.signal), requestId: next.id };
    this.#clients[client]?.perform(operation, next.asked, call).then(
      (answer) => this.#answered(next, () => (next.answer = answer)),
      (error: unknown) =>
        this.#answered(next, () =>
          this.trace.breakLater(`${next.id} ended with an error that no client should see: ${String(error)}`, error),
        ),
    );
  }

  #answered(task: Task, note: () => void): void {
    this.#activity += 1;
    task.status = 'done';
    note();
  }

  #backgroundCall(client: number, work: string): Call {
    const name = this.#clients[client]?.name ?? '?';
    this.#background += 1;
    const task = newTask(`${name}:${work.split(' ')[0] ?? ''}${this.#background}`, client, undefined);
    task.status = 'running';
    this.tasks.push(task);
    return { ...testCall(), requestId: task.id };
  }

  #submit<T>(client: number, call: CallAtGate, run: () => Promise<T>): Promise<T> {
    this.#activity += 1;
    const task = this.tasks.find(({ id }) => id === call.call.requestId);
    if (task === undefined) throw new Error(`a call of nobody: ${call.method} ${call.text}`);
    return new Promise<T>((resolve, reject) => {
      if (this.#crashed.has(client)) return;
      this.#pending.push({ ...call, task, run, answer: (value) => resolve(value as T), fail: reject });
    });
  }

  async #carryOut(pending: Pending, loseAnswer: boolean): Promise<void> {
    this.#drop(pending);
    const outcome = await this.#execute(pending, loseAnswer ? 'answer lost' : undefined);
    this.#hand(pending.task.client);
    if (loseAnswer) this.#failLost(pending);
    else if ('value' in outcome) pending.answer(outcome.value);
    else pending.fail(outcome.error);
    await this.#settle();
  }

  async #lose(pending: Pending, kind: 'loseRequest' | 'delay'): Promise<void> {
    this.#drop(pending);
    this.trace.step(
      pending.task.id,
      `${pending.method} ${pending.text}`,
      kind === 'delay' ? 'LOST, may take effect later' : 'LOST, takes no effect',
    );
    this.#begun(pending.task);
    if (kind === 'delay') this.#ghosts.push(pending);
    this.#hand(pending.task.client);
    this.#failLost(pending);
    await this.#settle();
  }

  #failLost({ task, method, text, fail }: Pending): void {
    task.history.push(`${task.history.length} ${method} ${text} lost`);
    fail(new StoreError('unavailable', { call: method, lost: true }));
  }

  #crash(client: number): void {
    this.trace.step(this.#clients[client]?.name ?? '?', 'CRASH', '');
    this.#crashed.add(client);
    this.#pending = this.#pending.filter(({ task }) => task.client !== client);
  }

  #hasClient(client: number): boolean {
    return this.tasks.some(
      (task) =>
        task.client === client &&
        task.status === 'running' &&
        task.operation !== undefined &&
        !task.hangUp.signal.aborted,
    );
  }

  /**
   * The gateway lives, and has nobody to answer to: what was sent in the client's name breaks off, what belongs to a
   * commit goes on.
   */
  async #hangUp(client: number): Promise<void> {
    this.trace.step(this.#clients[client]?.name ?? '?', 'HANGS UP', '');
    for (const task of this.tasks) {
      if (task.client === client && task.status === 'running') task.hangUp.abort(new Error('the client has left'));
    }
    this.#hand(client);
    for (const pending of this.#pending.filter(({ call }) => call.signal.aborted)) {
      this.#drop(pending);
      this.#begun(pending.task);
      pending.task.history.push(`${pending.task.history.length} ${pending.method} ${pending.text} broken off`);
      pending.fail(new StoreError('aborted', { call: pending.method }));
    }
    await this.#settle();
  }

  #drop(pending: Pending): void {
    this.#pending = this.#pending.filter((other) => other !== pending);
  }

  #begun(task: Task): void {
    task.calls += 1;
    if (task.calls > 1 || task.operation === undefined) return;
    task.atStart = this.#stateOf(task.operation.key);
    note(task, task.atStart);
  }

  /** The call reaches the store: the one place where anything changes. */
  async #execute(pending: Pending, remark: string | undefined): Promise<{ value: unknown } | { error: unknown }> {
    const { task, method, text } = pending;
    if (remark !== 'takes effect late') this.#begun(task);
    this.world.writer = this.#clients[task.client]?.name ?? '?';
    const outcome = await pending.run().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const said = wholeOutcome(outcome);
    const inShort = shortOutcome(outcome);
    this.trace.step(task.id, `${method} ${text}`, remark === undefined ? inShort : `${inShort} (${remark})`);
    // Failures in their order: the first of several decides what becomes of parallel calls.
    task.history.push(`${'error' in outcome ? task.history.length : ''} ${method} ${text} ${said}`);
    if (task.calls > MAX_CALLS) this.trace.breakWith(`${task.id} does not end`);
    if (isChange(method) && 'value' in outcome) await this.#judgeChange(task, remark === 'takes effect late');
    return outcome;
  }

  async #judgeChange(task: Task, isLate: boolean): Promise<void> {
    const before = this.states;
    await this.#look();
    for (const [key, after] of this.states) {
      const was = before.get(key) ?? after;
      const isSame = was.text === after.text;
      if (!isSame) this.#judgeEffect(task, { key, before: was, after, isLate });
      if (isSame && was.lingering.map(lineOf).join() === after.lingering.map(lineOf).join()) continue;
      for (const other of this.tasks) {
        if (isConcerned(other, this.tasks) && other.operation?.key === key) note(other, after);
      }
    }
  }

  #judgeEffect(
    task: Task,
    { key, before, after, isLate }: { key: string; before: KeyState; after: KeyState; isLate: boolean },
  ): void {
    this.trace.remark(`${key} is now ${describeState(after)}`);
    const change = { before, after, atStart: task.atStart ?? before, seen: [before, ...task.seen.values()] };
    const done = helped(task, { key, change }, this.tasks) ?? task;
    done.effects.push(touchedBy(change));
    if (this.#plan.lax === true) return;
    if (task.operation !== undefined && task.operation.key !== key) {
      this.trace.breakWith(`${task.id} changed another key`);
    }
    if ((isLate || before.versions.length === 0) && isTwin(done, this.tasks)) this.#twins.add(key);
    if (this.#twins.has(key)) return;
    const why = done.effects.length > 1 ? 'it took effect twice' : unlawful(done.operation, done.asked, change);
    if (task.operation?.kind === 'deleteVersion' && this.#held.has(`${key} ${task.asked.versionId}`)) {
      this.trace.breakWith(`${task.id} deleted a version that is held`);
    }
    if (why !== undefined) {
      this.trace.breakWith(
        `I1: ${task.id} changed ${key} wrongly: ${why}\n  from ${describeState(before)}\n  to   ${describeState(after)}`,
      );
    }
  }

  /** A lock that is acknowledged keeps its version from now on. */
  #hold({ id, asked }: Task, key: string): void {
    const state = this.#stateOf(key);
    const versionId = asked.versionId ?? state.current?.id;
    if (asked.versionId !== undefined && !state.versions.some((version) => version.id === versionId)) {
      this.trace.breakWith(`${id} holds a version that is deleted`);
    }
    if (versionId !== 'null') this.#held.add(`${key} ${versionId}`);
  }

  /** Reads the store, and judges what it says. */
  async #look(): Promise<void> {
    await this.#keys.look(this.tasks.flatMap(({ operation }) => (operation === undefined ? [] : [operation.key])));
    if (this.#plan.lax === true) return;
    for (const [key, { faults }] of this.states) {
      if (faults.length > 0) this.trace.breakWith(`${key}: ${faults.join('; ')}`);
    }
  }

  #stateOf(key: string): KeyState {
    return this.states.get(key) ?? this.trace.breakWith(`no such key: ${key}`);
  }

  /** Until every client waits at the gate or has ended. */
  async #settle(): Promise<void> {
    for (let turn = 0, seen = -1; ; turn++) {
      if (seen === this.#activity && this.#isQuiet()) return this.#judgeAnswers();
      seen = this.#activity;
      if (turn < PATIENCE) await nextTurn();
      else this.trace.breakWith('a client neither calls nor ends');
    }
  }

  #isQuiet(): boolean {
    const isWaiting = (task: Task): boolean => this.#pending.some((pending) => pending.task === task);
    return this.tasks.every(
      (task) =>
        task.operation === undefined || task.status !== 'running' || this.#crashed.has(task.client) || isWaiting(task),
    );
  }

  async #judgeAnswers(): Promise<void> {
    this.trace.throwIfBroken();
    const isLax = this.#plan.lax === true;
    for (const task of this.tasks) {
      const { answer, operation } = task;
      if (answer === undefined || operation === undefined) continue;
      task.answer = undefined;
      this.trace.step(task.id, describeOperation(operation), `answers ${JSON.stringify(answer)}`);
      this.trace.throwIfBroken();
      if (task.calls === 0) note(task, this.#stateOf(operation.key));
      task.said = answer;
      task.acknowledged = answer.kind === 'done' ? answer.versionId : undefined;
      task.answerWasUnknown = answer.kind === 'unknown';
      if (operation.kind === 'hold' && !isLax && answer.kind === 'done') this.#hold(task, operation.key);
      const { asked, effects } = task;
      const why = untrue({
        operation,
        asked,
        answer,
        effects,
        seen: [...task.seen.values()],
        now: this.#stateOf(operation.key),
        isBeneath: isBeneath(task, this.tasks),
      });
      if (why !== undefined && !isLax) this.trace.breakWith(`${task.id}: ${why}`);
      if (answer.kind === 'unknown' && !this.#hadFault && !isLax) {
        this.trace.breakWith(`${task.id} gave up although nothing had gone wrong`);
      }
      this.#startNext(task.client);
      await this.#settle();
    }
    this.trace.throwIfBroken();
  }
}
