import { actionLines, type Wait } from '#domain/reviews/wait.ts'
import { markdownBlock, markdownCode } from '../domain/core/plain-text.ts'

/** The UI cuts off the end of details: two paragraphs of a zero-width space keep the last line in sight. */
const BLANK_LINES = ['\u200b', '', '\u200b', '']
/** How many gaps are listed, and how long each text may be. */
const GAPS_MAX = 10
const DETAIL_MAX = 200

export type Details = {
  title: string
  rows: readonly (readonly [name: string, value: string])[]
  wait: Wait
  /** Further Markdown below the wait, made of safe text. */
  more?: readonly string[]
}

/** Markdown for the Temporal UI: facts, what the workflow waits for, the required action as a code block, and more. */
export function detailsOf({ title, rows, wait, more = [] }: Details): string {
  return [
    `### ${title}`,
    '',
    `| | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`,
    '',
    ...waitLines(wait),
    ...more,
    '',
    ...BLANK_LINES,
  ].join('\n')
}

function waitLines({ what, since, gaps, action }: Wait): string[] {
  const left = gaps.length - GAPS_MAX
  return [
    `**Waits for** ${markdownCode(what)}${since === null ? '' : ` since ${since}`}`,
    '',
    ...gaps.slice(0, GAPS_MAX).map(({ code, kind, detail, filled_by, pointers }) => {
      const at =
        pointers.length === 0
          ? ''
          : ` at ${pointers.map((pointer) => markdownCode(pointer, 100)).join(', ')}`
      const filled = markdownCode(filled_by, DETAIL_MAX)
      return `- ${kind} **${markdownCode(code)}**${at}: ${markdownCode(detail, DETAIL_MAX)}, filled by ${filled}`
    }),
    ...(left > 0 ? [`- and ${left} more`] : []),
    ...(gaps.length === 0 ? [] : ['']),
    ...(action === null ? ['**Required action** none'] : requiredAction(action)),
    '',
  ]
}

function requiredAction(action: NonNullable<Wait['action']>): string[] {
  const choices = action.choices.length > 1 ? ` (${action.choices.join(', ')})` : ''
  return [
    `**Required action** by the ${action.by}${choices}`,
    '',
    markdownBlock(actionLines(action)),
  ]
}
