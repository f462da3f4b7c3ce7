import uPlot from 'uplot';

/** One line of a plot. */
export interface PlotLine {
  readonly label: string;
  /** At each time; `null`: nothing to draw. */
  readonly values: readonly (number | null)[];
  /** Class of `overview.css` that has its colour. */
  readonly tone: string;
}

export interface PlotData {
  /** When each step begins, milliseconds since the epoch; at least one. */
  readonly times: readonly number[];
  readonly stepMs: number;
  readonly lines: readonly PlotLine[];
  /** Values are bytes: the axis has powers of two. */
  readonly isBytes?: true;
  /** A value as text; short enough for an axis. */
  readonly format: (value: number) => string;
  readonly formatTime: (epochMs: number) => string;
}

/** A stretch of time that was chosen on a plot, milliseconds since the epoch. */
export interface ChosenTime {
  readonly since: number;
  readonly before: number;
}

const HEIGHT = 170;
const AXIS_WIDTH = 64;
/** Distances between the marks of an axis of bytes, up to an exbibyte. */
const BYTE_STEPS = Array.from({ length: 61 }, (_, power) => 2 ** power);

/**
 * `<time-plot>`: lines over time, drawn on a canvas by uPlot. Arrow keys go from step to step and have the values read
 * out; Enter, a click, or dragging over a stretch chooses time (event `chosen` with `ChosenTime`).
 */
class TimePlot extends HTMLElement {
  #data: PlotData | undefined;
  #plot: uPlot | undefined;
  /** Labels of the lines that are drawn: other ones need another plot. */
  #drawn = '';
  #at: number | undefined;
  readonly #readout = document.createElement('p');
  readonly #probe = document.createElement('span');
  readonly #resized = new ResizeObserver(() => this.#fit());
  readonly #recoloured = new MutationObserver(() => this.#plot?.redraw(false));
  readonly #scheme = matchMedia('(prefers-color-scheme: dark)');
  readonly #redraw = (): void => this.#plot?.redraw(false);

  constructor() {
    super();
    this.#readout.className = 'readout';
    this.#readout.setAttribute('aria-live', 'polite');
    this.#probe.hidden = true;
    this.addEventListener('keydown', (event) => this.#press(event));
  }

  set data(data: PlotData) {
    this.#data = data;
    if (this.isConnected) this.#draw();
  }

  connectedCallback(): void {
    this.append(this.#readout, this.#probe);
    this.#resized.observe(this);
    this.#recoloured.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#scheme.addEventListener('change', this.#redraw);
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#resized.disconnect();
    this.#recoloured.disconnect();
    this.#scheme.removeEventListener('change', this.#redraw);
    this.#plot?.destroy();
    this.#plot = undefined;
    this.#drawn = '';
  }

  #draw(): void {
    if (this.#data === undefined) return;
    const { times, lines } = this.#data;
    const values = [[...times], ...lines.map((line) => [...line.values])] as uPlot.AlignedData;
    const drawn = lines.map(({ label, tone }) => `${label} ${tone}`).join('\n');
    if (this.#plot !== undefined && drawn === this.#drawn) {
      this.#plot.setData(values);
      return;
    }
    this.#plot?.destroy();
    this.#drawn = drawn;
    this.#plot = new uPlot(this.#options(this.#data), values, this);
  }

  #options({ lines, isBytes }: PlotData): uPlot.Options {
    const grid = { stroke: () => this.#colour('tone-line'), width: 1 };
    const axis = { stroke: () => this.#colour('tone-quiet'), grid, ticks: grid, font: '12px system-ui, sans-serif' };
    return {
      width: Math.max(this.clientWidth, 1),
      height: HEIGHT,
      ms: 1,
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false, setScale: false } },
      scales: { y: { range: (_plot, _least, most) => [0, Math.max(most * 1.05, 1)] } },
      axes: [
        { ...axis, values: (_plot, splits) => splits.map((time) => this.#data?.formatTime(time) ?? '') },
        {
          ...axis,
          size: AXIS_WIDTH,
          ...(isBytes === true && { incrs: BYTE_STEPS }),
          values: (_plot, splits) => splits.map((value) => this.#data?.format(value) ?? ''),
        },
      ],
      series: [
        {},
        ...lines.map(({ label, tone }) => ({
          label,
          stroke: () => this.#colour(tone),
          width: 1.5,
          points: { show: false },
        })),
      ],
      hooks: {
        setCursor: [({ cursor }) => this.#show(cursor.idx ?? undefined)],
        setSelect: [(plot) => this.#selected(plot)],
        ready: [({ over }) => over.addEventListener('click', () => this.#choose(this.#at, this.#at))],
      },
    };
  }

  /** The canvas needs a colour in plain words, as the scheme of the page makes it of the class. */
  #colour(tone: string): string {
    this.#probe.className = tone;
    return getComputedStyle(this.#probe).color;
  }

  #fit(): void {
    if (this.clientWidth > 0) this.#plot?.setSize({ width: this.clientWidth, height: HEIGHT });
  }

  #show(step: number | undefined): void {
    if (step === this.#at || this.#data === undefined) return;
    this.#at = step;
    const time = step === undefined ? undefined : this.#data.times[step];
    this.#readout.textContent =
      step === undefined || time === undefined
        ? ''
        : [this.#data.formatTime(time), ...this.#data.lines.map((line) => this.#valueAt(line, step))].join('   ');
  }

  #valueAt({ label, values }: PlotLine, step: number): string {
    const value = values[step];
    return `${label} ${value === undefined || value === null ? '–' : (this.#data?.format(value) ?? '')}`;
  }

  #press(event: KeyboardEvent): void {
    const { key } = event;
    if (this.#data === undefined || !['ArrowLeft', 'ArrowRight', 'Enter'].includes(key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (key === 'Enter') {
      this.#choose(this.#at, this.#at);
      return;
    }
    const last = this.#data.times.length - 1;
    const from = this.#at ?? last + 1;
    const step = Math.min(Math.max(from + (key === 'ArrowLeft' ? -1 : 1), 0), last);
    const left = this.#plot?.valToPos(this.#data.times[step] ?? 0, 'x');
    if (left !== undefined) this.#plot?.setCursor({ left, top: 0 });
    this.#show(step);
  }

  #selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width > 0) this.#choose(plot.posToIdx(left), plot.posToIdx(left + width));
  }

  #choose(from: number | undefined, to: number | undefined): void {
    if (this.#data === undefined || from === undefined || to === undefined) return;
    const { times, stepMs } = this.#data;
    const detail: ChosenTime = { since: times[from] ?? 0, before: (times[to] ?? 0) + stepMs };
    this.dispatchEvent(new CustomEvent('chosen', { detail }));
  }
}

customElements.define('time-plot', TimePlot);
