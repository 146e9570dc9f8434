/* test_bands.c - host images in bands (src/lib/bands.h), tables of them (table_bands.h), on a device that is made up:
 * its streams are queues, whose heads run in any order that the events allow, as late as the host lets them or at once.
 * A wait that is missing shows as a wrong table, memory that is touched after its end as a crash under a sanitizer, and
 * each call to the device fails once. */
#include "arrays.h"
#include "host_copy.h"
#include "table_bands.h"

/* ---- a device ---------------------------------------------------------------------------------------- */

enum { STREAMS = 4, QUEUE = 400 };

typedef struct op {
    enum { COPY, FILL, SUM, MARK, AFTER } what;
    sat_view from, to;
    sat_run run;
    int byte;
    size_t bytes;
    struct event *event;
    int ticket;
} op;

typedef struct event {
    int put, passed; /* how often it was queued, and how far the device has come */
} event;

typedef struct stream {
    op ops[QUEUE];
    int first, count;
} stream;

static struct {
    stream *streams[STREAMS];
    int made;      /* allocations, streams and events that live */
    int calls;     /* that may fail */
    int fail_at;   /* the call that does, 0: none */
    bool eager;    /* does the device run ahead of the host? */
    bool refuses;  /* does the backend's wait tell of a bad sample? */
    bool captured; /* is each stream? */
    bool confused; /* cannot even tell that */
    void *pinned;  /* the caller's memory, which counts as pinned */
    size_t pinned_bytes;
    int host_copies; /* queued from or to the caller's memory */
    int host_waits;  /* of the host for an event */
} fake;

static sat_status call(void)
{
    return ++fake.calls == fake.fail_at ? sat_fail(SAT_ERR_DEVICE, "call %d fails", fake.calls) : SAT_OK;
}

static void move(const sat_view *from, const sat_view *to)
{
    size_t row = sat_row_bytes(from->width, from->channels, from->type);
    assert_int_equal(from->count, to->count);
    for (int64_t i = 0; i < from->count; i++)
        for (int64_t y = 0; y < from->height; y++) {
            sat_view f = sat_view_image(from, i), t = sat_view_image(to, i);
            memcpy(entry_at(&t, 0, y, 0), entry_at(&f, 0, y, 0), row);
        }
}

static void sum_image(const op *o);

/* The backend's work. */
static void sum(const op *o)
{
    for (int64_t i = 0; i < o->from.count; i++) {
        op one = *o;
        one.from = sat_view_image(&o->from, i);
        one.to = sat_view_image(&o->to, i);
        if (o->run.carry_in) one.run.carry_in = (const uint32_t *)o->run.carry_in + i * o->from.width;
        if (o->run.carry_out) one.run.carry_out = (uint32_t *)o->run.carry_out + i * o->from.width;
        sum_image(&one);
    }
}

/* One image: one channel of u8 to u32, padded or inclusive. */
static void sum_image(const op *o)
{
    const sat_view *image = &o->from, *table = &o->to;
    bool padded = table->width > image->width;
    int64_t w = image->width, zero_row = padded && !o->run.continues;
    uint32_t above[64] = {0};
    assert_true(w <= 64 && table->height == image->height + zero_row);
    if (o->run.carry_in) memcpy(above, o->run.carry_in, (size_t)w * sizeof *above);
    for (int64_t x = 0; zero_row && x < table->width; x++) *(uint32_t *)entry_at(table, x, 0, 0) = 0;
    for (int64_t y = 0; y < image->height; y++) {
        uint32_t row = 0;
        if (padded) *(uint32_t *)entry_at(table, 0, y + zero_row, 0) = 0;
        for (int64_t x = 0; x < w; x++) {
            row += *(const uint8_t *)entry_at(image, x, y, 0);
            above[x] += row;
            *(uint32_t *)entry_at(table, x + padded, y + zero_row, 0) = above[x];
        }
    }
    if (o->run.carry_out) memcpy(o->run.carry_out, above, (size_t)w * sizeof *above);
}

/* Runs the head of one stream; false if it waits, or there is none. */
static bool step(stream *s)
{
    if (s == NULL || s->count == 0) return false;
    op *o = &s->ops[s->first];
    if (o->what == AFTER && o->event->passed < o->ticket) return false;
    if (o->what == COPY) move(&o->from, &o->to);
    if (o->what == FILL) memset(o->to.data, o->byte, o->bytes);
    if (o->what == SUM) sum(o);
    if (o->what == MARK && o->event->passed < o->ticket) o->event->passed = o->ticket;
    s->first = (s->first + 1) % QUEUE;
    s->count--;
    return true;
}

static bool step_any(void)
{
    int start = (int)random_in(0, STREAMS - 1);
    for (int i = 0; i < STREAMS; i++)
        if (step(fake.streams[(start + i) % STREAMS])) return true;
    return false;
}

static void run_ahead(void)
{
    for (int64_t n = fake.eager ? random_in(0, 8) : 0; n > 0 && step_any();) n--;
}

static sat_status queue(void *to, op o)
{
    stream *s = to;
    sat_status status = call();
    if (status != SAT_OK) return status;
    assert_true(s && s->count < QUEUE);
    s->ops[(s->first + s->count++) % QUEUE] = o;
    run_ahead();
    return SAT_OK;
}

static sat_status make(void **p, size_t bytes)
{
    *p = NULL;
    sat_status status = call();
    if (status != SAT_OK) return status;
    assert_int_equal(posix_memalign(p, 256, bytes), 0);
    memset(*p, 0xee, bytes);
    fake.made++;
    return SAT_OK;
}

static void unmake(void *p)
{
    if (p) fake.made--;
    free(p);
}

static size_t callers(const void *p)
{
    size_t before = (size_t)((const char *)p - (const char *)fake.pinned);
    return before < fake.pinned_bytes ? fake.pinned_bytes - before : 0;
}

static sat_status queue_copy(const sat_view *from, const sat_view *to, void *on)
{
    fake.host_copies += callers(from->data) > 0 || callers(to->data) > 0;
    return queue(on, (op){.what = COPY, .from = *from, .to = *to});
}

static sat_status wait_for(void *on)
{
    stream *s = on;
    while (s && s->count) assert_true(step_any());
    return call();
}

static sat_status copy(const sat_view *from, const sat_view *to, void *on)
{
    sat_status status = wait_for(on);
    if (status == SAT_OK) move(from, to);
    return status;
}

static sat_status fill(void *data, int byte, size_t bytes, void *on)
{
    return queue(on, (op){.what = FILL, .to.data = data, .byte = byte, .bytes = bytes});
}

static sat_status stream_open(void **s)
{
    sat_status status = make(s, sizeof(stream));
    if (status != SAT_OK) return status;
    memset(*s, 0, sizeof(stream));
    for (int i = 0; i < STREAMS; i++) {
        if (fake.streams[i]) continue;
        fake.streams[i] = *s;
        return SAT_OK;
    }
    fail_msg("more than %d streams", STREAMS);
    return SAT_OK;
}

static void stream_close(void *s)
{
    for (int i = 0; s && i < STREAMS; i++)
        if (fake.streams[i] == s) fake.streams[i] = NULL;
    unmake(s);
}

static sat_status event_create(void **m)
{
    sat_status status = make(m, sizeof(event));
    if (status == SAT_OK) memset(*m, 0, sizeof(event));
    return status;
}

static sat_status event_record(void *what, void *on)
{
    event *m = what;
    sat_status status = queue(on, (op){.what = MARK, .event = m, .ticket = m->put + 1});
    if (status == SAT_OK) m->put++;
    return status;
}

static sat_status stream_wait_event(void *on, void *what)
{
    event *m = what;
    return queue(on, (op){.what = AFTER, .event = m, .ticket = m->put});
}

static sat_status event_wait(void *what)
{
    const event *m = what;
    fake.host_waits++;
    while (m->passed < m->put) assert_true(step_any());
    return call();
}

static sat_status captured(void *on, bool *is)
{
    (void)on;
    *is = fake.captured;
    return fake.confused ? sat_fail(SAT_ERR_DEVICE, "the device is lost") : SAT_OK;
}

static const sat_device device = {
    .fill = fill,
    .copy = copy,
    .wait = wait_for,
    .pinned = callers,
    .queue_copy = queue_copy,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .event_create = event_create,
    .event_destroy = unmake,
    .event_record = event_record,
    .stream_wait = stream_wait_event,
    .event_wait = event_wait,
    .captured = captured,
};

static sat_status backend_run(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    (void)state;
    return queue(run->stream, (op){.what = SUM, .from = *image, .to = *table, .run = *run});
}

static sat_status backend_wait(void *state, void *on)
{
    (void)state;
    sat_status status = wait_for(on);
    return status == SAT_OK && fake.refuses ? sat_fail(SAT_ERR_RANGE, "a bad sample") : status;
}

/* One that is called for each image, and one that takes them all. */
static const sat_backend backends[] = {
    {.name = "single", .device = true, .run = backend_run, .wait = backend_wait},
    {.name = "batches", .device = true, .batches = true, .run = backend_run, .wait = backend_wait},
};

static bool idle(void)
{
    for (int i = 0; i < STREAMS; i++)
        if (fake.streams[i] && fake.streams[i]->count) return false;
    return true;
}

/* ---- images ------------------------------------------------------------------------------------------ */

enum { MOST_IMAGES = 7 };

typedef struct job {
    sat_plan_spec spec;
    sat_plan_spec band; /* rows and images of one */
    const sat_backend *backend;
    sat_view image, table, want;
    uint32_t in[64 * MOST_IMAGES], out[64 * MOST_IMAGES], want_out[64 * MOST_IMAGES];
    sat_run run;
} job;

/* Everything at random: shapes around multiples of the band, gaps, carry rows, pinned or not, a lazy or eager device.
 */
static job random_job(void)
{
    job j = {.backend = &backends[random_in(0, 1)]};
    bool padded = random_in(0, 1), continues = random_in(0, 1);
    int64_t width = random_in(1, 64), height = random_in(1, 23), zero_row = padded && !continues;
    int64_t count = random_in(0, 2) ? 1 : random_in(1, MOST_IMAGES);
    size_t gap = random_in(0, 1) ? (size_t)random_in(0, 3) : 0, pixel_gap = random_in(0, 4) ? 0 : 2;
    j.spec = (sat_plan_spec){.width = width,
                             .height = height + random_in(0, 2) * 7,
                             .channels = 1,
                             .sample = SAT_U8,
                             .accum = SAT_U32,
                             .layout = padded ? SAT_PADDED : SAT_INCLUSIVE,
                             .threads = (int)random_in(1, 3),
                             .count = random_in(count, MOST_IMAGES)};
    j.band = j.spec;
    j.band.count = 1;
    j.band.height = random_in(1, 5);
    if (j.band.height > j.spec.height || random_in(0, 1)) {
        j.band.height = j.spec.height;
        j.band.count = random_in(1, j.spec.count);
    }
    j.image = guarded_images(width, height, count, 1, SAT_U8, pixel_gap, gap, gap);
    j.table = guarded_images(width + padded, height + zero_row, count, 1, SAT_U32, 0, gap, gap);
    j.want = guarded_images(width + padded, height + zero_row, count, 1, SAT_U32, 0, gap, gap);
    randomise(&j.image);
    for (int i = 0; i < 64 * MOST_IMAGES; i++) j.in[i] = (uint32_t)random64();
    j.run = (sat_run){.continues = continues};
    fake.eager = random_in(0, 1);
    fake.refuses = false;
    fake.host_copies = 0;
    return j;
}

static void choose_carries(job *j)
{
    int which = (int)random_in(0, 3);
    if (which & 1) j->run.carry_in = j->in;
    if (which & 2) j->run.carry_out = random_in(0, 1) ? j->in : j->out;
    op all = {.from = j->image, .to = j->want, .run = j->run};
    all.run.carry_out = j->want_out;
    sum(&all);
}

/* All of one of them, or all but the last pixel, which is as good as nothing. */
enum { NONE, IMAGE, TABLE, NEARLY_ALL };
static void pin(job *j, int which)
{
    const sat_view *v = which == TABLE ? &j->table : &j->image;
    fake.pinned = which ? v->data : NULL;
    fake.pinned_bytes = which ? bytes_of_view(v) - (which == NEARLY_ALL) : 0;
}

static void check(const job *j)
{
    /* What lies between rows and images is the poison that both were made with. */
    assert_memory_equal(j->table.data, j->want.data, bytes_of_view(&j->want));
    size_t carries = (size_t)(j->image.width * j->image.count) * sizeof(uint32_t);
    if (j->run.carry_out) assert_memory_equal(j->run.carry_out, j->want_out, carries);
}

static void drop(job *j)
{
    unguard(&j->image), unguard(&j->table), unguard(&j->want);
    fake.pinned_bytes = 0;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static void *allocate(void *context, size_t bytes, sat_memory_kind kind)
{
    void *p = NULL;
    (void)context;
    if (kind != SAT_MEMORY_HOST) return make(&p, bytes) == SAT_OK ? p : NULL;
    assert_int_equal(posix_memalign(&p, 64, bytes), 0);
    return p;
}

static void release(void *context, void *data, size_t bytes, sat_memory_kind kind)
{
    (void)context, (void)bytes;
    fake.made -= kind != SAT_MEMORY_HOST;
    free(data);
}

static const sat_allocator allocator = {.allocate = allocate, .release = release};
static sat_arena arena = {.allocator = &allocator};

static void close_bands(sat_table_bands *b)
{
    sat_table_bands_close(b);
    sat_arena_reset(&arena, NULL);
}

static sat_status open_bands(sat_table_bands *b, const job *j)
{
    sat_status status = sat_table_bands_open(b, &device, &j->spec, &j->band, &arena);
    if (status != SAT_OK) sat_arena_reset(&arena, NULL);
    return status;
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static void tables_are_right_whatever_the_order(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        job j = random_job();
        sat_table_bands b;
        fake.fail_at = 0;
        assert_ok(open_bands(&b, &j));
        assert_true(idle());
        int pinned = (int)random_in(NONE, NEARLY_ALL);
        pin(&j, pinned);
        choose_carries(&j);
        fake.host_waits = 0;
        for (int runs = 0; runs < 2; runs++) {
            uint32_t in[64 * MOST_IMAGES];
            memcpy(in, j.in, sizeof in);
            assert_ok(sat_table_bands_run(&b, j.backend, NULL, &j.image, &j.table, &j.run));
            assert_true(idle());
            check(&j);
            memcpy(j.in, in, sizeof in);
        }
        int64_t bands = ((j.image.height - 1) / j.band.height + 1) * ((j.image.count - 1) / j.band.count + 1);
        bool direct = pinned == IMAGE && j.image.pixel_bytes == 1;
        assert_int_equal(fake.host_copies, direct || pinned == TABLE ? 2 * bands : 0);
        /* For each band to be back, and for memory to be read before it is filled again: not the caller's own. */
        int64_t refilled = !direct && bands > b.bands.slots ? bands - b.bands.slots : 0;
        assert_int_equal(fake.host_waits, 2 * (bands + refilled));
        close_bands(&b);
        assert_int_equal(fake.made, 0);
        drop(&j);
    }
}

/* Every call of the device fails in turn, when memory is made and in a run: the status is told, nothing is under way
 * any more, nothing is left, and the next run of what could be made is right. */
static void nothing_is_left_after_a_failure(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        job j = random_job();
        sat_table_bands b;
        choose_carries(&j);
        uint32_t in[64 * MOST_IMAGES];
        memcpy(in, j.in, sizeof in);
        for (int n = 1;; n++) {
            fake.calls = 0, fake.fail_at = n;
            sat_status status = open_bands(&b, &j);
            bool opened = status == SAT_OK;
            if (opened) status = sat_table_bands_run(&b, j.backend, NULL, &j.image, &j.table, &j.run);
            assert_true(idle());
            if (fake.calls < n) {
                assert_int_equal(status, SAT_OK);
                close_bands(&b);
                break;
            }
            assert_true(status == SAT_ERR_DEVICE || (!opened && status == SAT_ERR_MEMORY));
            if (opened) {
                memcpy(j.in, in, sizeof in);
                fake.fail_at = 0;
                assert_ok(sat_table_bands_run(&b, j.backend, NULL, &j.image, &j.table, &j.run));
                check(&j);
                memcpy(j.in, in, sizeof in);
                close_bands(&b);
            }
            assert_int_equal(fake.made, 0);
            close_bands(&b); /* holds nothing: no harm */
        }
        assert_int_equal(fake.made, 0);
        drop(&j);
    }
}

static bool count_down(void *context)
{
    int *left = context;
    return (*left)-- > 0;
}

/* A caller ends a run between any two bands: nothing is under way any more, and the next run is right. */
static void nothing_is_left_after_an_end(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        job j = random_job();
        sat_table_bands b;
        fake.fail_at = 0;
        assert_ok(open_bands(&b, &j));
        for (int n = 0, left = -1; left < 0; n++) {
            choose_carries(&j);
            left = n;
            sat_control control = {.proceed = count_down, .context = &left};
            sat_run ended = j.run;
            ended.control = &control, ended.asks = true;
            sat_status status = sat_table_bands_run(&b, j.backend, NULL, &j.image, &j.table, &ended);
            assert_int_equal(status, left < 0 ? SAT_ERR_CANCELLED : SAT_OK);
            assert_true(idle());
        }
        check(&j);
        close_bands(&b);
        assert_int_equal(fake.made, 0);
        drop(&j);
    }
}

static void what_only_the_device_knows_is_told(void **state)
{
    (void)state;
    job j = random_job();
    sat_table_bands b;
    fake.fail_at = 0;
    choose_carries(&j);
    assert_ok(open_bands(&b, &j));
    fake.refuses = true;
    assert_int_equal(sat_table_bands_run(&b, j.backend, NULL, &j.image, &j.table, &j.run), SAT_ERR_RANGE);
    assert_true(idle());
    fake.calls = 0;
    fake.captured = true; /* nothing is queued, nor waited for */
    assert_int_equal(sat_table_bands_run(&b, j.backend, NULL, &j.image, &j.table, &j.run), SAT_ERR_ARGUMENT);
    fake.captured = false;
    fake.confused = true; /* as itself, not as a capture */
    assert_int_equal(sat_table_bands_run(&b, j.backend, NULL, &j.image, &j.table, &j.run), SAT_ERR_DEVICE);
    assert_string_equal(sat_detail(), "the device is lost");
    fake.confused = false;
    assert_int_equal(fake.calls, 0);
    close_bands(&b);
    drop(&j);
}

/* What the caller queued comes first: its stream may be bringing the image. */
static void a_run_begins_when_the_callers_stream_is_empty(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        job j = random_job();
        sat_table_bands b;
        void *mine;
        fake.fail_at = 0;
        fake.eager = false;
        sat_view late = j.image;
        late = guard(late);
        assert_ok(stream_open(&mine));
        assert_ok(open_bands(&b, &j));
        choose_carries(&j);
        j.run.stream = mine;
        sat_view bytes = {.data = j.image.data, .width = (int64_t)bytes_of_view(&j.image), .height = 1, .channels = 1};
        bytes.type = SAT_U8, bytes.count = 1;
        sat_view there = bytes;
        there.data = late.data;
        assert_ok(queue_copy(&bytes, &there, mine));
        assert_ok(sat_table_bands_run(&b, j.backend, NULL, &late, &j.table, &j.run));
        check(&j);
        close_bands(&b);
        stream_close(mine);
        assert_int_equal(fake.made, 0);
        unguard(&late);
        drop(&j);
    }
}

static void bands_have_some_rows_and_no_more_than_the_image(void **state)
{
    (void)state;
    const size_t rows_bytes[] = {1, 4, 1000, 65540, 1 << 20, (size_t)1 << 33, (size_t)1 << 43};
    const int64_t heights[] = {1, 2, 1000, 16384, (int64_t)1 << 30, (int64_t)1 << 40};
    for (size_t r = 0; r < sizeof rows_bytes / sizeof *rows_bytes; r++)
        for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
            int64_t rows = sat_band_rows(rows_bytes[r] / 4, rows_bytes[r], heights[h]);
            assert_true(rows >= 1 && rows <= heights[h]);
            assert_int_equal(rows, sat_band_rows(rows_bytes[r], rows_bytes[r] / 8, heights[h]));
            if (rows > 1) assert_true((double)rows * (double)rows_bytes[r] <= 16 << 20);
        }
    /* 16384x16384 u8 to u32: sqrt(2^19 / 3 * 2^30) = 13.7 MB */
    assert_int_equal(sat_band_rows(16384, 65536, 16384), 209);
    assert_int_equal(sat_band_rows(512, 2048, 512), 256); /* never below half a megabyte */
}

static void copies_reach_every_byte_and_no_other(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        const sat_type types[] = {SAT_U8, SAT_U16, SAT_F32, SAT_F64};
        sat_type type = types[random_in(0, 3)];
        int64_t width = random_in(1, i % 40 == 0 ? 100000 : 300), height = random_in(1, 9), count = random_in(1, 3);
        int channels = (int)random_in(1, 4);
        size_t pixel_gap = random_in(0, 1) ? (size_t)random_in(1, 5) : 0;
        size_t gap = random_in(0, 1) ? (size_t)random_in(1, 99) : 0, other = random_in(0, 1) ? gap : 0;
        sat_view from = guarded_images(width, height, count, channels, type, pixel_gap, gap, other);
        sat_view to = guarded_images(width, height, count, channels, type, 0, other, gap);
        sat_view want = guarded_images(width, height, count, channels, type, 0, other, gap);
        randomise(&from);
        for (int64_t k = 0; k < count; k++)
            for (int64_t at = 0; at < width * height; at++) {
                sat_view f = sat_view_image(&from, k), w = sat_view_image(&want, k);
                memcpy(entry_at(&w, at % width, at / width, 0), entry_at(&f, at % width, at / width, 0),
                       (size_t)channels * sat_type_bytes(type));
            }
        sat_host_copy(&to, &from, NULL, (int)random_in(1, 7), i % 2);
        assert_memory_equal(to.data, want.data, bytes_of_view(&want));
        unguard(&from), unguard(&to), unguard(&want);
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_right_whatever_the_order),
        cmocka_unit_test(nothing_is_left_after_a_failure),
        cmocka_unit_test(nothing_is_left_after_an_end),
        cmocka_unit_test(what_only_the_device_knows_is_told),
        cmocka_unit_test(a_run_begins_when_the_callers_stream_is_empty),
        cmocka_unit_test(bands_have_some_rows_and_no_more_than_the_image),
        cmocka_unit_test(copies_reach_every_byte_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
