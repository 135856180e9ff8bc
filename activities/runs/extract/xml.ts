import { SaxesParser } from 'saxes'
import type { XmlElement } from '#domain/rails/form.ts'
import { extractLimits, Unreadable } from './unreadable.ts'

export type XmlHandlers = {
  open?(name: string, attributes: Readonly<Record<string, string>>, line: number): void
  close?(name: string): void
  text?(text: string): void
}

/** Handlers by the names of elements; a file may name an element as a member that every object has. */
export const handlersOf = <Given extends unknown[] = []>(
  handlers: Readonly<Record<string, (...given: Given) => void>>,
): ReadonlyMap<string, (...given: Given) => void> => new Map(Object.entries(handlers))

/**
 * Reads an XML part and hands over its elements by their local names. A document type is refused, so that there are no entities but
 * those of XML itself. Throws `Unreadable`.
 */
export function readXml(bytes: Uint8Array, { open, close, text }: XmlHandlers): void {
  const parser = new SaxesParser()
  let [depth, elements, attributesOfElement] = [0, 0, 0]
  parser.on('error', () => {
    throw new Unreadable('has a part that is not well-formed XML')
  })
  parser.on('doctype', () => {
    throw new Unreadable(
      'has a part with a document type, which could name entities or other files',
    )
  })
  parser.on('attribute', () => {
    attributesOfElement += 1
    if (attributesOfElement > extractLimits.xmlAttributesMax)
      throw new Unreadable(
        `has an element with more than ${extractLimits.xmlAttributesMax} attributes`,
      )
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    elements += 1
    attributesOfElement = 0
    if (elements > extractLimits.xmlElementsMax)
      throw new Unreadable(`has a part of more than ${extractLimits.xmlElementsMax} elements`)
    if (depth > extractLimits.xmlDepthMax)
      throw new Unreadable(`nests deeper than ${extractLimits.xmlDepthMax} elements`)
    open?.(localName(name), attributes, parser.line)
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    close?.(localName(name))
  })
  if (text !== undefined) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  parser.write(decoded(bytes)).close()
}

/** The elements of an XML file as a tree. Throws `Unreadable`. */
export function xmlTree(bytes: Uint8Array): XmlElement {
  type Open = XmlElement & { children: XmlElement[] }
  const document: Open = { name: '', attributes: {}, children: [], text: '', line: 1 }
  const path = [document]
  readXml(bytes, {
    open: (name, given, line) => {
      const attributes = Object.fromEntries(
        Object.entries(given).map(([key, value]) => [localName(key), value]),
      )
      const element: Open = { name, attributes, children: [], text: '', line }
      path.at(-1)?.children.push(element)
      path.push(element)
    },
    close: () => {
      const element = path.pop()
      if (element !== undefined) element.text = element.text.trim()
    },
    text: (text) => {
      const element = path.at(-1)
      if (element !== undefined) element.text += text
    },
  })
  return document.children[0] ?? document
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** An attribute by its local name, whatever its prefix. */
export function attributeOf(
  attributes: Readonly<Record<string, string>>,
  wanted: string,
): string | undefined {
  return Object.entries(attributes).find(([name]) => localName(name) === wanted)?.[1]
}

function decoded(bytes: Uint8Array): string {
  const [a, b] = bytes
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}
