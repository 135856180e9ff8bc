import { Dialog } from '@base-ui/react/dialog'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { newKey } from '../calls.ts'
import { Button, Field, fieldClass, Problem, ReceiptLink } from './basics.tsx'

const popupClass =
  'fixed top-1/2 left-1/2 max-h-[92vh] w-[min(32rem,92vw)] -translate-x-1/2 -translate-y-1/2 overflow-auto rounded-lg border border-line bg-card p-5'
const backdropClass = 'fixed inset-0 bg-black/50'

type ActProps = {
  /** On the button, and of the dialog. */
  label: string
  title: string
  tone?: 'plain' | 'primary' | 'danger'
  /** What it does, before it is done. */
  children: ReactNode
  /** The call, with a reason and a key; answers with the receipt, which is null where no key could sign it. */
  act: (reason: string, key: string) => Promise<{ receipt: { receipt_id: string } | null }>
  /** Whether there is nothing left to do; an open dialog stays. */
  ended?: boolean
  /** After the dialog is closed. */
  done?: () => void
}

/** An act with its reason: what it does, the reason, and the receipt. */
export function Act({ label, title, tone = 'plain', children, act, ended, done }: ActProps) {
  const queries = useQueryClient()
  const [open, setOpen] = useState(false)
  const acted = useRef(false)
  // What is behind the dialog is read again when it closes, so that the receipt stays until then.
  const change = (next: boolean) => {
    setOpen(next)
    if (next || !acted.current) return
    acted.current = false
    void queries.invalidateQueries()
    done?.()
  }
  const tried: ActProps['act'] = (reason, idempotencyKey) => {
    acted.current = true
    return act(reason, idempotencyKey)
  }
  return (
    <Dialog.Root open={open} onOpenChange={change}>
      {!ended && <Dialog.Trigger render={<Button tone={tone}>{label}</Button>} />}
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup className={popupClass}>
          <Dialog.Title className="m-0 mb-2 text-base font-semibold">{title}</Dialog.Title>
          <Dialog.Description render={<div className="mb-4" />}>{children}</Dialog.Description>
          <Reasoned label={label} tone={tone} act={tried} close={() => change(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

type ReasonedProps = Pick<ActProps, 'label' | 'act'> & {
  tone: NonNullable<ActProps['tone']>
  close: () => void
}

function Reasoned({ label, tone, act, close }: ReasonedProps) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<unknown>()
  const [receipt, setReceipt] = useState<string | null>()
  const [busy, setBusy] = useState(false)
  const [key] = useState(newKey)
  const carryOut = async () => {
    setBusy(true)
    try {
      setError(undefined)
      setReceipt((await act(reason, key)).receipt?.receipt_id ?? null)
    } catch (refused) {
      setError(refused)
    }
    setBusy(false)
  }
  if (receipt !== undefined)
    return (
      <div className="space-y-3">
        <p role="status" className="m-0">
          Done.{' '}
          {receipt === null ? (
            'No key could sign a receipt.'
          ) : (
            <>
              Receipt <ReceiptLink id={receipt} />
            </>
          )}
        </p>
        <Button onClick={close}>Close</Button>
      </div>
    )
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault()
        void carryOut()
      }}
    >
      <Field label="Reason" hint="It is in the signed receipt.">
        <input
          className={fieldClass}
          required
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      <Problem error={error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone={tone} disabled={busy || reason === ''}>
          {label}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  )
}
