import { z } from 'zod'
import { railKeys } from '#domain/rails/rail.ts'
import { httpMethods } from '../http-method.ts'
import { AccessKind, Price } from './mcp.ts'

const Pointer = z.string().regex(/^\//)
const text = z.string().min(1)

const step = z.strictObject({
  step: z.int().min(1),
  operation_id: text,
  summary: text,
  method: z.enum(httpMethods),
  url: z.string().meta({ description: 'With {name} where the path has a parameter.' }),
  access: z.array(AccessKind),
  header: text.nullable().meta({ description: 'In what the caller presents itself.' }),
  price: Price,
  example_body: z.record(z.string(), z.unknown()).nullable(),
  replace: z
    .array(
      z.strictObject({
        place: z.enum(['body', 'header', 'path']),
        name: text,
        from: text.nullable().meta({ description: 'The step that answers it.' }),
        pointer: Pointer.nullable().meta({
          description: 'Where in the answer of that step (RFC 6901).',
        }),
        how: text,
      }),
    )
    .meta({ description: 'What the caller puts in place of the example’s values.' }),
})

/** What `/api/agents-start-here` prints, but for the limits. */
export const StartHere = z.strictObject({
  rail: z.enum(railKeys),
  steps: z.array(step),
  sequences: z.array(z.strictObject({ name: text, steps: z.array(text) })),
  policy_rules: z.array(text),
  links: z.record(z.string(), z.url()),
})

/** A call that a reader makes as it stands, or by the shell. */
export const QuickstartCall = step
  .extend({
    curl: text.meta({
      description:
        'The call for a shell. What `replace` names is read from variables: the name in capitals, with _ for -.',
    }),
  })
  .meta({ id: 'QuickstartCall' })

/** What `/api/agent-api-quickstart` prints. */
export const Quickstart = z
  .strictObject({
    allowed_rails: z.array(z.enum(railKeys)),
    rail: z.enum(railKeys),
    calls: z.array(QuickstartCall),
  })
  .meta({ id: 'Quickstart' })
