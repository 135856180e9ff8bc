import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verdictOf } from '#domain/rails/diligenceops/verdict.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { isDenied } from '#domain/rails/text/denial.ts'
import { verifies } from '../../../../verifies.ts'

/** How many sentences deny something and are found, how many more are found, and how many deny. */
function figuresOf(set: 'tuning' | 'frozen') {
  const lines = readFileSync(join(import.meta.dirname, `denials-${set}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' | '))
  const found = lines.filter(([, text = '']) => isDenied(text))
  const denies = ([kind]: string[]) => kind === 'denies'
  const right = found.filter(denies).length
  return { right, wrong: found.length - right, all: lines.filter(denies).length }
}

verifies('packetops.negation', 'business English that the lexicon was made with', () => {
  const { right, wrong, all } = figuresOf('tuning')
  expect(right / all).toBeGreaterThanOrEqual(0.97)
  expect(right / (right + wrong)).toBeGreaterThanOrEqual(0.97)
})

verifies('packetops.negation', 'business English that was written after the lexicon', () => {
  expect(figuresOf('frozen')).toEqual({ right: 12, wrong: 4, all: 20 })
})

verifies('packetops.negation', 'what denies a state takes it back, and asks for it', () => {
  const verdict = (question: string, sentence: string) =>
    verdictOf(question, sentence, 'yes_no').verdict
  for (const [question, expired, valid] of [
    ['Has the certificate expired?', 'yes', 'no'],
    ['Is the certificate valid?', 'no', 'yes'],
  ] as const) {
    expect(verdict(question, 'The certificate expired in May.')).toBe(expired)
    expect(verdict(question, 'The certificate has not expired.')).toBe(valid)
  }
  expect(verdict('Are any findings outstanding?', 'No findings are outstanding.')).toBe('no')
  expect(verdict('Are any findings outstanding?', 'Two findings are outstanding.')).toBe('yes')
  for (const [sentence, failing] of [
    ['Two servers remained unpatched.', 1],
    ['No server remained unpatched.', 0],
  ] as const) {
    const items = [{ name: 'i', section: 's', content: sentence }]
    const { result } = packetops.work({ title: 't', required_sections: ['s'], items })
    expect(result.weaknesses).toHaveLength(failing)
  }
})
