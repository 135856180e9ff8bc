import { type Callable, callables } from '../../api/http/client-contract.ts'
import { operations } from '../../api/operations/index.ts'
import { operationShapes } from '../operation-shapes.ts'

const pascal = (id: string): string =>
  id.replaceAll(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase())

/** What the generator of types reads: a definition for the input and the output of every operation. */
export function typesSchema(): object {
  const { shapes, $defs } = operationShapes()
  const own = shapes.flatMap(({ id, input, output }) => [
    [`${pascal(id)}Request`, input],
    [`${pascal(id)}Answer`, output],
  ])
  return { $defs: { ...$defs, ...Object.fromEntries(own) } }
}

const header = '# Made by `npm run client:python`.\n'

/** `types.py` from what the generator wrote: our header, and no model of the whole document. */
export const typesSource = (generated: string): string =>
  header + generated.replace(/^(?:#.*\n)+\n?/, '').replace(/^Model: TypeAlias = Any\n+/m, '')

/** `operations.py`: every operation with the types of its input and its answer. */
export function operationsModule(): string {
  const lines = operations.map(
    ({
      id,
      summary,
    }) => `${nameOf(id)}: Operation[types.${pascal(id)}Request, types.${pascal(id)}Answer] = Operation(
    ${[JSON.stringify(id), ...argumentsOf(callables[id])].join(', ')}
)
"""${summary.replaceAll('\\', '\\\\').replaceAll('"', "'")}"""
`,
  )
  return `${header}"""Every operation of the service, with the types of its input and of its answer."""

from . import types
from .operation import Operation

${lines.join('\n')}`
}

const nameOf = (id: string): string => id.replaceAll('-', '_').toUpperCase()

function argumentsOf({ method, path, host, ways, ...marks }: Callable): string[] {
  const set = Object.entries(marks).filter(([, value]) => value === true)
  return [
    JSON.stringify(method),
    JSON.stringify(path),
    JSON.stringify(host),
    `(${ways.map((way) => `${JSON.stringify(way)},`).join(' ')})`,
    ...set.map(([name]) => `${name}=True`),
  ]
}
