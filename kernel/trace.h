/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints: a request on its way to the driver, and its answer. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kcrypto

#if !defined(KCRYPTO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KCRYPTO_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(kcrypto_begin,
	TP_PROTO(u32 session, u32 len, u32 flags),
	TP_ARGS(session, len, flags),
	TP_STRUCT__entry(
		__field(u32, session)
		__field(u32, len)
		__field(u32, flags)
	),
	TP_fast_assign(
		__entry->session = session;
		__entry->len = len;
		__entry->flags = flags;
	),
	TP_printk("session=%u len=%u flags=%#x", __entry->session, __entry->len, __entry->flags)
);

TRACE_EVENT(kcrypto_end,
	TP_PROTO(u32 session, u32 len, int err),
	TP_ARGS(session, len, err),
	TP_STRUCT__entry(
		__field(u32, session)
		__field(u32, len)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->session = session;
		__entry->len = len;
		__entry->err = err;
	),
	TP_printk("session=%u len=%u err=%d", __entry->session, __entry->len, __entry->err)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
