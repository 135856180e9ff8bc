import type { XmlElement } from '../../form.ts'

export type MaybeElement = XmlElement | undefined

export function childrenOf(element: MaybeElement, ...names: string[]): readonly XmlElement[] {
  return element?.children.filter(({ name }) => names.includes(name)) ?? []
}

/** The first element at a path of names below another. */
export function at(element: MaybeElement, ...path: string[]): MaybeElement {
  const [first, ...rest] = path
  if (element === undefined || first === undefined) return element
  for (const child of element.children) {
    const found = child.name === first ? at(child, ...rest) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The text at a path; undefined where there is none. */
export function textAt(element: MaybeElement, ...path: string[]): string | undefined {
  const text = at(element, ...path)?.text
  return text === undefined || text === '' ? undefined : text
}

/** The first text of several elements of one path, in the order of the file. */
export function textsAt(element: MaybeElement, parent: string, ...path: string[]): string[] {
  return childrenOf(element, parent).flatMap((one) => textAt(one, ...path) ?? [])
}

/** Every element of one of these names, the outermost of each branch. */
export function below(element: XmlElement, names: readonly string[]): XmlElement[] {
  if (names.includes(element.name)) return [element]
  return element.children.flatMap((child) => below(child, names))
}
