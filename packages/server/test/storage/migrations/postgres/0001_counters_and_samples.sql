create table counter (name text not null primary key, count bigint not null);
create table sample (id bigint not null primary key, label text, amount bigint);
create table parent (id bigint not null primary key);
create table child (id bigint not null primary key, parent_id bigint not null references parent (id) deferrable initially deferred);
