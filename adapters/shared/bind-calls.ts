/** A call of a store, which takes the client first. */
type CallOf<Client> = (client: Client, ...rest: never[]) => unknown;

/** The same call without that parameter. */
type Bound<Call> = Call extends (client: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** Makes the methods of a store from its calls, by giving each the client. */
export function bindCalls<Client, Calls extends Readonly<Record<string, CallOf<Client>>>>(
  client: Client,
  calls: Calls,
): { readonly [Name in keyof Calls]: Bound<Calls[Name]> } {
  const bound = Object.entries(calls).map(([name, call]) => [name, call.bind(undefined, client)] as const);
  return Object.fromEntries(bound) as { readonly [Name in keyof Calls]: Bound<Calls[Name]> };
}
