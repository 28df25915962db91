import type { TProperties, TSchema, Type as TypeBox } from 'typebox';

type Builders = Pick<
  typeof TypeBox,
  'Array' | 'Boolean' | 'Integer' | 'Number' | 'Object' | 'Optional' | 'String' | 'Union' | 'Unsafe'
>;

/**
 * Our own version of the few TypeBox builders that the schemas use, with the types of TypeBox. The package consists of
 * 700 modules and has no smaller entry point: importing it takes 0.4 s of CPU time, a quarter of the CPU time for
 * starting a server or a command.
 */
export const Type = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Object: (properties: TProperties, options?: object) => ({
    type: 'object',
    ...requiredOf(properties),
    properties,
    ...options,
  }),
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Union: (anyOf: TSchema[], options?: object) => ({ anyOf, ...options }),
  Unsafe: (schema: TSchema) => ({ ...schema }),
} as unknown as Builders;

/**
 * Marks the schema of an optional property for the object that contains it. The mark is not enumerable, so copies of
 * the schema do not have it.
 */
const OPTIONAL = Symbol('optional');

function requiredOf(properties: TProperties): { required?: string[] } {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
  return required.length > 0 ? { required } : {};
}
