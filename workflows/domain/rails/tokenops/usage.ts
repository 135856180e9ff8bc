import type { UsageRow } from './schema.ts'

export type UsageSoFar = ReturnType<typeof usageSoFar>
export type Tokens = { rows: number; input: number; output: number; first: number }
export type Cell = Tokens & { day: string; agent: string | null; model: string }

/**
 * Usage as it is kept while rows come in: one cell for each day, agent and model, and for each model the tokens of its single
 * rows, twelve bytes a row, for which is unusual among them.
 */
export function usageSoFar() {
  const cells = new Map<string, Cell>()
  const models = new Map<string, ModelRows>()
  return {
    cells,
    rowsOf: (model: string): ModelRows => models.get(model) ?? modelRows(),
    take(
      { at, model, agent, input_tokens: input, output_tokens: output }: UsageRow,
      index: number,
    ): void {
      const day = at.slice(0, 10)
      // No name holds a line break (names.ts), so the key cannot be that of two cells.
      const key = `${day}${agent === undefined ? '' : `\n${agent}`}\n\n${model}`
      const cell = cells.get(key)
      if (cell === undefined)
        cells.set(key, { day, agent: agent ?? null, model, rows: 1, input, output, first: index })
      else {
        cell.rows += 1
        cell.input += input
        cell.output += output
        cell.first = Math.min(cell.first, index)
      }
      const rows = models.get(model)
      if (rows === undefined) models.set(model, modelRows(index, input, output))
      else rows.push(index, input, output)
    },
  }
}

export type ModelRows = ReturnType<typeof modelRows>

/** Index, input and output tokens of rows, three unsigned integers each, in an array that doubles as it fills. */
function modelRows(...first: number[]) {
  let data = new Uint32Array(3 * 64)
  data.set(first)
  let length = first.length
  return {
    push(index: number, input: number, output: number): void {
      if (length === data.length) {
        const longer = new Uint32Array(2 * data.length)
        longer.set(data)
        data = longer
      }
      data[length] = index
      data[length + 1] = input
      data[length + 2] = output
      length += 3
    },
    count: () => length / 3,
    at: (row: number) => {
      const [index = 0, input = 0, output = 0] = data.subarray(3 * row, 3 * row + 3)
      return { index, input, output }
    },
  }
}
