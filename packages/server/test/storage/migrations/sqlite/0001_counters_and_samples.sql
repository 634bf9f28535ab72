create table counter (name text not null primary key, count integer not null) strict;
create table sample (id integer not null primary key, label text, amount integer) strict;
create table parent (id integer not null primary key) strict;
create table child (id integer not null primary key, parent_id integer not null references parent (id) deferrable initially deferred) strict;
