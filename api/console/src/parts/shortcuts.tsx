import { Dialog } from '@base-ui/react/dialog'
import { useEffect, useState } from 'react'
import { Button } from './basics.tsx'

const OFF = 'agent-rails.shortcuts'
const isOn = () => localStorage.getItem(OFF) !== 'off'

/** Calls a function for a key that is pressed outside of fields, unless the operator has switched these keys off (WCAG 2.1.4). */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event
      const inField =
        target instanceof HTMLElement &&
        (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
      const act = keys[event.key]
      if (act === undefined || inField || event.ctrlKey || event.metaKey || event.altKey || !isOn())
        return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [keys])
}

const help: readonly (readonly [string, string])[] = [
  ['j, k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['/', 'go to the search'],
  ['a, r, v, h', 'approve, reject, revise, hold'],
]

export function ShortcutHelp() {
  const [on, setOn] = useState(isOn)
  const change = (next: boolean) => {
    localStorage.setItem(OFF, next ? 'on' : 'off')
    setOn(next)
  }
  return (
    <Dialog.Root>
      <Dialog.Trigger render={<Button>Keyboard</Button>} />
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-black/50" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 w-[min(28rem,92vw)] -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line bg-card p-5">
          <Dialog.Title className="m-0 mb-3 text-base font-semibold">Keyboard</Dialog.Title>
          <dl className="m-0 mb-4 grid grid-cols-[7rem_1fr] gap-y-1">
            {help.map(([keys, what]) => (
              <div key={keys} className="contents">
                <dt className="font-mono text-sm">{keys}</dt>
                <dd className="m-0">{what}</dd>
              </div>
            ))}
          </dl>
          <label className="mb-4 flex items-center gap-2">
            <input
              type="checkbox"
              checked={on}
              onChange={(event) => change(event.target.checked)}
            />
            Use these keys
          </label>
          <Dialog.Close render={<Button>Close</Button>} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
