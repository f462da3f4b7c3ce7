/**
 * An empty object for values under names that others choose. It inherits nothing, so `__proto__` and `constructor` are
 * names like any other. `Object.create(null)` would do the same, but V8 makes a slow table of it, which costs a small
 * read some microseconds for each such object.
 */
export const NamedValues = function namedValues() {
  // Nothing to set up: all that matters is the prototype.
} as unknown as new <T = string>() => Record<string, T>;

(NamedValues as { prototype: object }).prototype = Object.create(null) as object;
