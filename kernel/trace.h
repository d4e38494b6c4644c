/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints: a request on its way to the driver, and its answer. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kcrypto

#if !defined(KCRYPTO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KCRYPTO_TRACE_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(kcrypto_request,
		    TP_PROTO(u32 session, u32 len, int what),
		    TP_ARGS(session, len, what),
		    TP_STRUCT__entry(__field(u32, session)
				     __field(u32, len)
				     __field(int, what)),
		    TP_fast_assign(__entry->session = session;
				   __entry->len = len;
				   __entry->what = what;),
		    TP_printk("session=%u len=%u err=%d", __entry->session, __entry->len,
			      __entry->what)
);

/* A request goes to the driver. @what: the request's flags. */
DEFINE_EVENT_PRINT(kcrypto_request, kcrypto_begin,
		   TP_PROTO(u32 session, u32 len, int what),
		   TP_ARGS(session, len, what),
		   TP_printk("session=%u len=%u flags=%#x", __entry->session, __entry->len,
			     __entry->what)
);

/* The driver has answered, or will not get the request. @what: 0 or an error. */
DEFINE_EVENT(kcrypto_request, kcrypto_end,
	     TP_PROTO(u32 session, u32 len, int what),
	     TP_ARGS(session, len, what)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
