import { startUploadCheck } from '../../../temporal/upload-checks.ts'
import type { Adapters } from '../../adapters.ts'
import { UploadChecks } from './upload-checks.ts'
import { InputService } from './uploads.ts'

export type InputServices = ReturnType<typeof openInputs>

/** Uploads, and what is read of them before a run on them is paid for. */
export function openInputs({ db, config, changes, client }: Adapters) {
  return {
    inputs: new InputService({ db, config }),
    uploadChecks: new UploadChecks({
      db,
      changes,
      start: (check, trusted) => startUploadCheck(client, check, trusted),
    }),
  }
}
