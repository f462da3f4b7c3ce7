/** `Date.parse` carries: 30 February is 2 March to it. @param text `YYYY-MM-DD` */
export function isCalendarDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
