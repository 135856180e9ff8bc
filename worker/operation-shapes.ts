import { z } from 'zod'
import { operations } from '../api/operations/index.ts'

type Shape = { id: string; input: object; output: object }

/** The JSON Schemas of every operation's input and output, and those that they refer to as `#/$defs/NAME`. */
export function operationShapes(): { shapes: Shape[]; $defs: Record<string, object> } {
  const $defs: Record<string, object> = {}
  const shapeOf = (schema: z.ZodType, io: 'input' | 'output') => {
    const written = JSON.stringify(z.toJSONSchema(schema, { target: 'draft-2020-12', io }), plain)
    // A shape with defaults has other members in than out.
    const own = io === 'output' ? written : written.replace(/("#\/\$defs\/[^"]+)"/g, '$1Input"')
    const {
      $schema: _dialect,
      $defs: shapes = {},
      ...shape
    } = JSON.parse(own) as Record<string, object>
    for (const [id, one] of Object.entries(shapes)) $defs[io === 'output' ? id : `${id}Input`] = one
    return shape
  }
  const shapes = operations.map(({ id, input, output }) => ({
    id,
    input: shapeOf(input, 'input'),
    output: shapeOf(output, 'output'),
  }))
  return { shapes, $defs }
}

/** Without our own annotations: a generator takes a schema with any member for that of an object. */
const plain = (name: string, value: unknown) => (name.startsWith('x-') ? undefined : value)
