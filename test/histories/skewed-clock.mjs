// Loaded into a gateway before anything else (`node --import`): its wall clock is off by what a file says, in
// milliseconds. The file is looked at ten times a second, so that the clock can step while the process serves.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setInterval } from 'node:timers';

const LOOK_MS = 100;
const file = process.env['HISTORIES_CLOCK_FILE'];
const RealDate = Date;
let offset = 0;

function look() {
  try {
    offset = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    // Between two writes of the file the clock stays as it was.
  }
}

const now = () => RealDate.now() + offset;

if (file !== undefined) {
  look();
  setInterval(look, LOOK_MS).unref();
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, made) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, made === globalThis.Date ? target : made),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
