import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
} from '@modelcontextprotocol/server'
import type { ToolCall } from '../../../../api/mcp/toolbox.ts'

const text = (shown: string): CallToolResult => ({ content: [{ type: 'text', text: shown }] })

/** One red pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** No sample at 8 kHz. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const image = { type: 'image', data: png, mimeType: 'image/png' } as const

/** Tools that the suite calls for each kind of content. */
export const contentTools = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  test_error_handling: () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_progress: async ({ meta, request }) => {
    const progressToken = meta['progressToken'] as string | number | undefined
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await request.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      await sleep(50)
    }
    return text('done')
  },
  test_missing_capability: ({ request }) => {
    if ('sampling' in Object(Object(request.envelope)[CLIENT_CAPABILITIES_META_KEY]))
      return text('the client samples')
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  test_streaming_elicitation: () => text('it asks for nothing'),
  test_logging_tool: () => text('it logs nothing'),
  greet: ({ args }) => text(`Hello, ${args['name']}!`),
  json_schema_2020_12_tool: () => text('the schema is what is tested'),
} satisfies Record<string, (call: ToolCall) => CallToolResult | Promise<CallToolResult>>
