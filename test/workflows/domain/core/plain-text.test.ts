import fc from 'fast-check'
import { expect } from 'vitest'
import {
  jsonText,
  markdownBlock,
  markdownCode,
  oneLine,
  plainTextPattern,
  printable,
} from '#domain/core/plain-text.ts'
import { verifies } from '../../../verifies.ts'

/** What a terminal obeys or a reader is misled by. */
const hostile = ['\u0000', '\u001b[31m', '\u009b2J', '\u007f', '\r', '\u202e', '\u2066', '\u2028']
const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom(...hostile, '`', '``', '|', '\n', '*', '[', '<'), fc.string()),
})

verifies(
  'views.text',
  'no control character but tab and line feed is left in printable text',
  () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = printable(text)
        expect(plainTextPattern.test(shown)).toBe(true)
        expect(shown).toHaveLength(text.length)
        expect(printable(shown)).toBe(shown)
      }),
    )
    expect(printable('two\nlines\tand \u{1F4B8} ש')).toBe('two\nlines\tand \u{1F4B8} ש')
    expect(printable('\u001b]0;owned\u0007')).toBe('\ufffd]0;owned\ufffd')
  },
)

verifies('views.text', 'inline code is one line whose fence no text can close', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const code = markdownCode(text)
      const fence = /^`+/.exec(code)?.[0] ?? ''
      const inside = code.slice(fence.length, -fence.length)
      expect(code).not.toMatch(/[\n|]/)
      expect(code.endsWith(fence)).toBe(true)
      const runs = inside.match(/`+/g) ?? []
      expect(runs.map(({ length }) => length)).not.toContain(fence.length)
    }),
  )
  expect(markdownCode('a|b')).toBe('`a¦b`')
  expect(markdownCode('')).toBe('`–`')
})

verifies('views.text', 'no line of a code block closes it', () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1 }), (lines) => {
      const [fence = '', ...rest] = markdownBlock(lines).split('\n')
      expect(rest.slice(0, -1).filter((line) => line.includes(fence))).toEqual([])
      expect(rest.at(-1)).toBe(fence)
      expect(rest).toHaveLength(lines.length + 1)
    }),
  )
})

verifies('views.text', 'JSON for a terminal says the same without control characters', () => {
  fc.assert(
    fc.property(fc.jsonValue(), anyText, (value, text) => {
      const json = jsonText({ value, text })
      expect(plainTextPattern.test(json)).toBe(true)
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text })))
    }),
  )
})

verifies('views.text', 'a line is cut to whole characters', () => {
  expect(oneLine(' a\n\tb  c ')).toBe('a b c')
  expect(oneLine('abc', 3)).toBe('abc')
  expect(oneLine('\u{1F4B8}'.repeat(5), 3)).toBe(`${'\u{1F4B8}'.repeat(2)}…`)
})
