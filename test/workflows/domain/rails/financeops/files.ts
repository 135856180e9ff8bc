import { readFileSync } from 'node:fs'
import { SaxesParser } from 'saxes'
import type { Form, FormRows, XmlElement } from '#domain/rails/form.ts'

const folder = new URL('files/', import.meta.url)
export const fileText = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

type Open = { -readonly [Key in keyof XmlElement]: XmlElement[Key] } & { children: Open[] }

function xmlOf(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true })
  const open: Open[] = []
  let root: Open | undefined
  parser.on('opentag', ({ local, attributes }) => {
    const own = Object.values(attributes).map((one) => [one.local, one.value])
    const element = { name: local, attributes: Object.fromEntries(own), children: [], text: '' }
    const one: Open = { ...element, line: parser.line }
    open.at(-1)?.children.push(one)
    root ??= one
    open.push(one)
  })
  const addText = (part: string) => {
    const last = open.at(-1)
    if (last !== undefined) last.text += part
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const one = open.pop()
    if (one !== undefined) one.text = one.text.trim()
  })
  parser.write(text).close()
  if (root === undefined) throw new Error('the file has no element')
  return root
}

/** What a form of XML or text reads. */
export function readBy(form: Form, text: string): FormRows | undefined {
  if (form.kind === 'xml') return form.read(xmlOf(text))
  if (form.kind === 'text') return form.read(text)
  throw new Error(`${form.name} is a ${form.kind}`)
}
