import { createReadStream } from 'node:fs'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import type { RowSource } from '../../../activities/runs/rows.ts'
import { workOnRows } from '../../../activities/runs/work-on-rows.ts'
import { usageMaterial } from '../../workflows/domain/rails/tokenops/usage.ts'
import { serveParent } from './child.ts'

/** `priced`: rows of models that have a price, which shows that they were read. */
export type RowsTaken = { seconds: number; priced: number }

/** Reads and computes in its own process with its own memory. */
serveParent({
  work: async ({
    format,
    file,
  }: {
    format: RowSource['format']
    file: string
  }): Promise<RowsTaken> => {
    const { usage: _, ...head } = usageMaterial(0)
    const begun = performance.now()
    const { result } = await workOnRows(tokenops, head, {
      usage: { format, stream: createReadStream(file) },
    })
    const seconds = (performance.now() - begun) / 1000
    return { seconds, priced: result.cost_by_model.reduce((sum, { rows }) => sum + rows, 0) }
  },
})
