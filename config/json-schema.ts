/** The part of JSON Schema that the settings and the chart's values use. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
}
