import { type HeaderTreatment, headerTreatment } from '../../observe/redact.ts';
import type { RepeatedText, RepeatedTexts } from './repeated-texts.ts';

/** Clients choose names of headers. */
const MAX_HEADERS = 64;
const MAX_NAME_CHARS = 64;
/** Longer texts are hardly the same twice, and these are held beside the entries. */
const LONGEST = 256;
/** As many clients as take turns without being in each other's way. */
const WAYS = 4;

/** V8 keeps a whole text for the sake of a part that was cut out of it, and the whole may hold a secret. */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

/** The last few texts that came under one name. One that comes again while it is among them is kept for all entries. */
export class RecentTexts {
  readonly #repeated: RepeatedTexts;
  readonly #texts: string[] = [];
  readonly #kept: (RepeatedText | undefined)[] = [];
  #oldest = 0;

  constructor(repeated: RepeatedTexts) {
    this.#repeated = repeated;
  }

  /** The place of a text that has come before. @returns undefined: it has not, or there is no room for it */
  find(text: string): number | undefined {
    const texts = this.#texts;
    for (let way = 0; way < texts.length; way += 1) if (texts[way] === text) return this.#placeOf(way);
    return undefined;
  }

  /** The same of a text with which another begins that has so many more characters. */
  findBeginning(whole: string, more: number): number | undefined {
    const texts = this.#texts;
    for (let way = 0; way < texts.length; way += 1) {
      const text = texts[way] ?? '';
      // Compared as a whole: `startsWith` goes from character to character.
      if (text.length + more === whole.length && whole.slice(0, -more) === text) return this.#placeOf(way);
    }
    return undefined;
  }

  /** @param text that is no secret, nor cut out of what may hold one (`ownCopy`) */
  add(text: string): void {
    if (text.length > LONGEST || this.#texts.includes(text)) return;
    this.#texts[this.#oldest] = text;
    this.#kept[this.#oldest] = undefined;
    this.#oldest = (this.#oldest + 1) % WAYS;
  }

  #placeOf(way: number): number | undefined {
    const kept = this.#repeated.keep(this.#texts[way] ?? '', this.#kept[way]);
    this.#kept[way] = kept;
    return kept?.place;
  }
}

/** The headers of one name. */
export class SharedHeader {
  readonly treatment: HeaderTreatment;
  readonly values: RecentTexts;
  readonly #name: string;
  readonly #repeated: RepeatedTexts;
  #kept: RepeatedText | undefined;

  constructor(name: string, repeated: RepeatedTexts) {
    this.treatment = headerTreatment(name);
    this.values = new RecentTexts(repeated);
    this.#name = name;
    this.#repeated = repeated;
  }

  /** Of the name. */
  get place(): number | undefined {
    this.#kept = this.#repeated.keep(this.#name, this.#kept);
    return this.#kept?.place;
  }
}

/** Finds what an entry has in common with those before it. */
export class SharedTexts {
  readonly #repeated: RepeatedTexts;
  readonly #fields = new Map<string, RecentTexts>();
  readonly #headers = new Map<string, SharedHeader>();
  readonly #named = new WeakMap<object, RepeatedText>();
  /** Of the last call. */
  #lastNamed: object | undefined = undefined;
  #lastKept: RepeatedText | undefined = undefined;

  constructor(repeated: RepeatedTexts) {
    this.#repeated = repeated;
  }

  /** Where the value of a field is kept; undefined: it stands in the entry. @param text that is no secret */
  placeOfField(name: string, text: string): number | undefined {
    let recent = this.#fields.get(name);
    if (recent === undefined) this.#fields.set(name, (recent = new RecentTexts(this.#repeated)));
    const place = recent.find(text);
    if (place === undefined) recent.add(ownCopy(text));
    return place;
  }

  /** @param name as it came @returns undefined: there are too many names */
  header(name: string): SharedHeader | undefined {
    const known = this.#headers.get(name);
    if (known !== undefined || this.#headers.size >= MAX_HEADERS || name.length > MAX_NAME_CHARS) return known;
    const made = new SharedHeader(name, this.#repeated);
    this.#headers.set(name, made);
    return made;
  }

  /** Where something is kept that many entries name; undefined: it stands in the entry. */
  placeOf<Named extends object>(named: Named, textOf: (named: Named) => string): number | undefined {
    const known = named === this.#lastNamed ? this.#lastKept : this.#named.get(named);
    const kept = this.#repeated.keep(known?.text ?? textOf(named), known);
    if (kept !== undefined && kept !== known) this.#named.set(named, kept);
    this.#lastNamed = named;
    this.#lastKept = kept;
    return kept?.place;
  }
}
