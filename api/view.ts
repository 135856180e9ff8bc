import type { z } from 'zod'

/** What a row may hold for a value of the wire: a time as a date. */
type Stored<Value> = Value extends string ? Value | Date : Value
type Row<View> = { readonly [Name in keyof View]: Stored<View[Name]> }

/** A row as its shape has it: the fields of the shape and no others, with times in RFC 3339. */
export function viewOf<Shape extends z.ZodObject>(
  { shape }: Shape,
  row: Row<z.output<Shape>>,
): z.output<Shape> {
  const stored: Readonly<Record<string, unknown>> = row
  const fields = Object.keys(shape).flatMap((name) => {
    const value = stored[name]
    if (value === undefined) return []
    return [[name, value instanceof Date ? value.toISOString() : value]]
  })
  return Object.fromEntries(fields) as z.output<Shape>
}
