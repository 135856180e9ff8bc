import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../calls.ts'
import type { Part } from '../pages/review.tsx'
import { Button, Foreign, Problem } from './basics.tsx'

type SlicesProps = { part: Part; subjectId: string; seen: () => void }

/** A long part or an uploaded list, one slice at a time; opening it counts as opening the part. */
export function Slices({ part, subjectId, seen }: SlicesProps) {
  const [offsets, setOffsets] = useState<readonly number[]>([])
  const offset = offsets.at(-1)
  const read = useQuery({
    queryKey: ['part', subjectId, part.sha256, offset],
    enabled: offset !== undefined,
    queryFn: () =>
      call('loop-review-console', {
        subject_id: subjectId,
        part: part.name,
        part_offset: String(offset),
      }),
  })
  const slice = read.data?.evidence_part ?? undefined
  const next = slice?.next_offset ?? null
  const open = () => {
    setOffsets([0])
    seen()
  }
  if (offset === undefined)
    return <Button onClick={open}>Read it ({part.bytes.toLocaleString('en')} bytes)</Button>
  return (
    <>
      <Problem error={read.error} />
      {slice?.sha256 === part.sha256 && <Text part={part} text={slice.text} />}
      <nav aria-label="Slices" className="mt-3 flex items-center gap-2 text-sm text-muted">
        <Button disabled={offsets.length < 2} onClick={() => setOffsets(offsets.slice(0, -1))}>
          Previous
        </Button>
        <Button
          disabled={next === null}
          onClick={() => next !== null && setOffsets([...offsets, next])}
        >
          Next
        </Button>
        <span className="tabular-nums">
          slice {offsets.length}, from {offset.toLocaleString('en')} of{' '}
          {part.bytes.toLocaleString('en')}
        </span>
      </nav>
    </>
  )
}

/** Rows of a list with their place in the slice; any other part as the text that its digest is of. */
function Text({ part, text }: { part: Part; text: string }) {
  const lines = text.replace(/\n$/, '').split('\n')
  if (part.media_type === 'application/json')
    return (
      <pre className="m-0 font-mono text-sm break-all whitespace-pre-wrap">
        <Foreign text={text} lines />
      </pre>
    )
  return (
    <ol className="m-0 list-none p-0 font-mono text-sm">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a slice never changes.
        <li key={index} className="border-b border-line py-0.5 break-all last:border-0">
          <Foreign text={line} />
        </li>
      ))}
    </ol>
  )
}
